import type { TestClient } from "@uag/harness/fleet/client";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";

/** One action through the public server. Throws if it fails. */
export type Action = (fleet: TestFleet, client: TestClient) => Promise<void>;

async function expectOk(response: { readonly status: number; text(): Promise<string> }): Promise<string> {
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${response.status} ${text.slice(0, 300)}`);
  return text;
}

async function post(client: TestClient, path: string, body: object): Promise<void> {
  const { status, text } = await client.post(path, body);
  await expectOk({ status, text: async () => text });
}

async function admin(fleet: TestFleet, method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${fleet.run.base_url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${fleet.run.admin.token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return expectOk(response);
}

/** An administrator creates a key, changes it, reads its usage and revokes it. */
async function administer(fleet: TestFleet): Promise<void> {
  const made = await admin(fleet, "POST", "/keys", { account_id: fleet.run.account_id, key_alias: "roll" });
  const { id } = JSON.parse(made) as { id: string };
  await admin(fleet, "PATCH", `/keys/${id}`, { rpm_limit: 100 });
  await admin(fleet, "GET", "/usage");
  await admin(fleet, "DELETE", `/keys/${id}`);
}

/** An MCP client lists the tools. */
async function listTools({ run }: TestFleet): Promise<void> {
  const response = await fetch(run.mcp_url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${run.api_key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });
  await expectOk(response);
}

/** The actions other than chats and videos, by name. */
export const actions: Readonly<Record<string, Action>> = {
  embedding: (_, client) => post(client, "/v1/embeddings", { model: "text-embedding-3-small", input: "a boat" }),
  speech: (_, client) =>
    post(client, "/v1/audio/speech", { model: "alpha3-tts-flash", input: "a boat", voice: "Cherry" }),
  image: (_, client) => post(client, "/v1/images/generations", { model: "gamma-image-1-mini", prompt: "a boat" }),
  models: async ({ run }) => {
    await expectOk(await fetch(`${run.base_url}/v1/models`, { headers: { authorization: `Bearer ${run.api_key}` } }));
  },
  admin: administer,
  mcp: listTools,
  console: async ({ run }) => {
    await expectOk(await fetch(`${run.console_url}/`));
  },
};
