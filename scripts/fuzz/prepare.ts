type Json = Readonly<Record<string, unknown>>;

interface FuzzTarget {
  readonly baseUrl: string;
  readonly adminToken: string;
}

async function call(url: string, token: string, body?: Json): Promise<Json> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(url, { headers, ...init });
  if (!response.ok) throw new Error(`${url} responded ${response.status}: ${await response.text()}`);
  return (await response.json()) as Json;
}

/**
 * Creates the objects that the fuzzer uses, so that it changes no others: an account with money and
 * a key for its requests, and another account, key, token and task as targets. Prints settings for
 * the hooks.
 */
export async function prepare({ baseUrl, adminToken }: FuzzTarget): Promise<Record<string, string>> {
  const admin = (path: string, body: Json): Promise<Json> => call(`${baseUrl}/admin/v1${path}`, adminToken, body);
  const payer = await admin("/accounts", { name: "fuzzing payer" });
  await admin(`/accounts/${payer["id"]}/top-ups`, { amount_usd: "1000", reference: `fuzz-${payer["id"]}` });
  const { key } = await admin("/keys", { account_id: payer["id"], key_alias: "fuzz" });
  const account = await admin("/accounts", { name: "fuzzing target" });
  const fuzzedKey = await admin("/keys", { account_id: account["id"] });
  const token = await admin("/tokens", { name: "fuzzing target" });
  const task = { model: "beta2.6-t2v", duration: 5, resolution: "720p", input: { prompt: "x" }, parameters: {} };
  const video = await call(`${baseUrl}/v1/videos/generations`, String(key), task);
  const models = (await call(`${baseUrl}/v1/models`, String(key)))["data"] as { id: string }[];
  const ids = {
    "/v1/videos/": video["id"],
    "/v1/models/": models[0]?.id,
    "/admin/v1/accounts/": account["id"],
    "/admin/v1/keys/": fuzzedKey["id"],
    "/admin/v1/tokens/": token["id"],
  };
  return {
    FUZZ_KEY: String(key),
    FUZZ_IDS: JSON.stringify(ids),
    FUZZ_MODELS: JSON.stringify(models.map(({ id }) => id)),
  };
}
