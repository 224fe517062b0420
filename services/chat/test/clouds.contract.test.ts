import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { type LocalSimulator, startSimulator } from "./local-simulator.ts";
import { startChat } from "./support.ts";

const secret = "the-secret-of-contoso-1234";

/** One pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const site = createServer((request, response) => {
  response.writeHead(request.url === "/pixel.png" ? 200 : 404).end(png);
});

let simulator: LocalSimulator;
let siteUrl: string;
let harness: OperationsHarness;
const resources = new AsyncDisposableStack();

const traits =
  "owned_by: o, created: 0, operations: [chat.completions, messages], context_tokens: 128000, max_output_tokens: 8192, input: [text, image, file], price: { input_tokens: 1, output_tokens: 2 }";
const model = (id: string, provider: string, upstream: string): string =>
  `  - { id: ${id}, ${traits}, upstreams: [{ provider: ${provider}, model: "${upstream}" }] }`;

/** A service account that the simulator knows, as a key file has it. */
async function createAccount(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/sim/service-accounts?token_uri=${url}/google/token`, { method: "POST" });
  return (await response.json()) as Record<string, unknown>;
}

/** An access key that the simulator knows, as a credential document. */
async function createAccessKey(url: string, query = ""): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/sim/access-keys${query}`, { method: "POST" });
  return { type: "aws", region: "us-east-1", ...((await response.json()) as object) };
}

before(async () => {
  simulator = resources.use(await startSimulator());
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  resources.defer(() => void site.close());
  const siteHost = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  siteUrl = `http://${siteHost}`;
  const { url } = simulator;
  const entra = (clientSecret: string) => ({
    type: "entra",
    tenant_id: "contoso.onmicrosoft.com",
    client_id: "11111111-2222-3333-4444-55555555abcd",
    client_secret: clientSecret,
    token_url: `${url}/entra/contoso.onmicrosoft.com/oauth2/v2.0/token`,
  });
  const account = await createAccount(url);
  const other = { ...(await createAccount(url)), private_key_id: account["private_key_id"] };
  const vertex = `protocol: vertex, base_url: "${url}/vertex/v1beta1/projects/p/locations/us-east5"`;
  const accessKey = await createAccessKey(url);
  const temporary = await createAccessKey(url, "?temporary");
  const bedrock = `protocol: bedrock, base_url: "${url}/bedrock"`;
  const azure = `protocol: azure, base_url: "${url}/azure/openai/v1"`;
  const catalog = `
providers:
  az: { ${azure}, api_key: "\${ENTRA}" }
  dated: { protocol: azure, base_url: "${url}/azure/openai", api_version: 2024-10-21, api_key: "\${ENTRA}" }
  wrong: { ${azure}, api_key: "\${WRONG}" }
  pool: { ${azure}, credentials: [{ name: a, api_key: "\${WRONG}" }, { name: b, api_key: "\${ENTRA}", priority: 1 }] }
  vx: { ${vertex}, api_key: "\${ACCOUNT}" }
  workload: { ${vertex}, api_key: "\${METADATA}" }
  forged: { ${vertex}, api_key: "\${FORGED}" }
  br: { ${bedrock}, credentials: [{ name: k, api_key: "\${ACCESS_KEY}" }] }
  br-temporary: { ${bedrock}, api_key: "\${TEMPORARY}" }
  br-key: { ${bedrock}, api_key: "\${BEDROCK_KEY}" }
  br-wrong: { ${bedrock}, api_key: "\${WRONG_ACCESS_KEY}" }
models:
${model("br", "br", "us.anthropic.claude-haiku-4-5-20251001-v1:0")}
${model("br/no", "br", "anthropic.claude-none")}
${model("br/nova", "br", "us.amazon.nova-pro-v1:0")}
${model("br/llama", "br", "us.meta.llama4-maverick-17b-instruct-v1:0")}
${model("br/temporary", "br-temporary", "anthropic.claude-haiku-4-5-20251001-v1:0")}
${model("br/key", "br-key", "anthropic.claude-sonnet-4-6")}
${model("br/wrong", "br-wrong", "anthropic.claude-sonnet-4-6")}
${model("vx/gemini", "vx", "gemini-2.5-flash")}
${model("vx/claude", "vx", "claude-haiku-4-5@20251001")}
${model("workload", "workload", "gemini-2.5-flash")}
${model("forged", "forged", "gemini-2.5-flash")}
${model("az", "az", "gpt-4o-mini")}
${model("dated", "dated", "gpt-4o-mini")}
${model("wrong", "wrong", "gpt-4o-mini")}
${model("pool", "pool", "gpt-4o-mini")}
`;
  const env = {
    ENTRA: JSON.stringify(entra(secret)),
    WRONG: JSON.stringify(entra("bad-secret-5678")),
    ACCOUNT: JSON.stringify(account),
    ACCESS_KEY: JSON.stringify(accessKey),
    TEMPORARY: JSON.stringify(temporary),
    BEDROCK_KEY: "bedrock-api-key-1234",
    WRONG_ACCESS_KEY: JSON.stringify({ ...accessKey, secret_access_key: "another-secret-of-amazon" }),
    FORGED: JSON.stringify(other),
    METADATA: JSON.stringify({ type: "google_metadata", host: new URL(url).host }),
  };
  harness = resources.use(await startChat({ catalog, env, egressAllow: [new URL(url).host, siteHost] }));
});
after(() => resources.disposeAsync());

const ask = (id: string, content: string, more: object = {}) =>
  harness.call("chat.completions", { model: id, messages: [{ role: "user", content }], ...more });
const callsOf = async (provider: string) => (await simulator.log()).filter((entry) => entry.provider === provider);

test("an application of Entra ID is served with one token for all calls, streamed or not, and in every path", async () => {
  const asked = await Promise.all(
    ["one", "two", "three"].map((text) => ask("az", `say: ${text}`, { stream: text === "two" })),
  );
  for (const { status, text } of asked) assert.equal(status, 200, text);
  assert.match(asked[0]?.text ?? "", /"prompt_filter_results"/, "the filter's annotations reach the client");
  assert.match(asked[1]?.text ?? "", /"prompt_filter_results"[\s\S]*"content_filter_results"/);
  assert.equal((await ask("dated", "say: four")).status, 200);
  assert.equal((await callsOf("entra")).length, 1);
  const paths = new Set((await callsOf("azure")).map(({ path }) => path));
  assert.deepEqual(
    [...paths],
    ["/azure/openai/v1/chat/completions", "/azure/openai/deployments/gpt-4o-mini/chat/completions"],
  );
});

test("a refused secret fails the request as the operator's problem, and the client sees nothing of it", async () => {
  const { status, text } = await ask("wrong", "Hello");
  assert.equal(status, 502, text);
  assert.doesNotMatch(text, /AADSTS|bad-secret|Entra/);
  const [failed] = harness.admission.booked.at(-1)?.settlement?.failedAttempts ?? [];
  assert.deepEqual([failed?.failure, failed?.status], ["operator", 401]);
  assert.match(
    failed?.message ?? "",
    /^Microsoft Entra ID refused the credential: AADSTS7000215: Invalid client secret/,
  );
  assert.doesNotMatch(JSON.stringify(failed), /bad-secret/);
});

test("the next credential takes over when the first one's secret is refused", async () => {
  const { status, header, text } = await ask("pool", "Hello");
  assert.equal(status, 200, text);
  assert.deepEqual([header("x-gateway-credential"), header("x-gateway-attempts")], ["b", "2"]);
});

test("a prompt that Azure's filter refuses is the client's error, and costs nothing", async () => {
  const { status, text } = await ask("az", "blocked");
  assert.equal(status, 400, text);
  assert.match(text, /content management policy/);
  assert.deepEqual(harness.admission.booked.at(-1)?.settlement?.units, []);
});

/** Calls a model in the chat and the messages format. @returns the response in the latter */
async function served(id: string, stream: boolean): Promise<string> {
  const { status, text } = await ask(id, "say: seen", { stream });
  assert.equal(status, 200, text);
  assert.match(text, /seen/);
  const message = { model: id, max_tokens: 100, stream, messages: [{ role: "user", content: "say: seen" }] };
  const own = await harness.call("messages", message);
  assert.equal(own.status, 200, own.text);
  assert.match(own.text, /seen/);
  return own.text;
}

test("a service account serves Gemini and Claude with one token, in each client's format, streamed or not", async () => {
  for (const id of ["vx/gemini", "vx/claude"]) {
    for (const stream of [false, true]) await served(id, stream);
  }
  assert.equal((await callsOf("google")).length, 1);
  const place = "/vertex/v1beta1/projects/p/locations/us-east5/publishers";
  assert.deepEqual([...new Set((await callsOf("vertex")).map(({ path }) => path))].sort(), [
    `${place}/anthropic/models/claude-haiku-4-5%4020251001:rawPredict`,
    `${place}/anthropic/models/claude-haiku-4-5%4020251001:streamRawPredict`,
    `${place}/google/models/gemini-2.5-flash:generateContent`,
    `${place}/google/models/gemini-2.5-flash:streamGenerateContent`,
  ]);
});

test("a workload is served with the token of its machine", async () => {
  assert.equal((await ask("workload", "Hello")).status, 200);
  assert.equal((await callsOf("google-metadata")).length, 1);
});

test("an assertion that another key has signed is refused, and no token or key is shown", async () => {
  const { status, text } = await ask("forged", "Hello");
  assert.equal(status, 502, text);
  const [failed] = harness.admission.booked.at(-1)?.settlement?.failedAttempts ?? [];
  assert.deepEqual(
    [failed?.failure, failed?.message],
    ["operator", "Google refused the credential: Invalid JWT Signature."],
  );
  assert.doesNotMatch(text, /JWT|PRIVATE KEY/);
});

test("an access key, a temporary one and an API key serve Claude at Bedrock in each client's format, streamed or not", async () => {
  for (const id of ["br", "br/temporary", "br/key"]) {
    for (const stream of [false, true]) assert.doesNotMatch(await served(id, stream), /invocationMetrics/);
  }
  const model = "/bedrock/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0";
  const paths = new Set((await callsOf("bedrock")).map(({ path }) => path));
  assert.ok(paths.has(`${model}/invoke`) && paths.has(`${model}/invoke-with-response-stream`));
});

test("a signature of another secret fails the request as the operator's problem, and no secret is shown", async () => {
  const { status, text } = await ask("br/wrong", "Hello");
  assert.equal(status, 502, text);
  assert.doesNotMatch(text, /signature|amazon/i);
  const [failed] = harness.admission.booked.at(-1)?.settlement?.failedAttempts ?? [];
  assert.deepEqual([failed?.failure, failed?.code], ["operator", "InvalidSignatureException"]);
  assert.match(failed?.message ?? "", /^The request signature we calculated does not match/);
  assert.doesNotMatch(JSON.stringify(failed), /another-secret/);
});

test("a model that Bedrock does not have is reported as unknown", async () => {
  const { status, text } = await ask("br/no", "Hello");
  assert.equal(status, 400, text);
  assert.match(text, /"code":"model_not_found"/);
});

test("prompts of Claude at Bedrock are counted there, with the same number as its usage, and others are estimated", async () => {
  const messages = [{ role: "user", content: "Count these words, please." }];
  const prompt = { model: "br", system: "Be brief.", messages };
  const counted = await harness.call("messages.count_tokens", prompt);
  assert.equal(counted.status, 200, counted.text);
  const served = await harness.call("messages", { ...prompt, max_tokens: 10 });
  assert.equal(JSON.parse(counted.text).input_tokens, JSON.parse(served.text).usage.input_tokens);
  const thinks = { ...prompt, thinking: { type: "enabled", budget_tokens: 2_048 } };
  assert.equal((await harness.call("messages.count_tokens", thinks)).status, 200);
  const counts = (await callsOf("bedrock")).filter(({ path }) => path.endsWith("/count-tokens"));
  const model = "anthropic.claude-haiku-4-5-20251001-v1%3A0";
  assert.deepEqual([...new Set(counts.map(({ path }) => path))], [`/bedrock/model/${model}/count-tokens`]);
  const estimated = await harness.call("messages.count_tokens", { ...prompt, model: "br/nova" });
  assert.ok(JSON.parse(estimated.text).input_tokens > 0, estimated.text);
  const all = (await callsOf("bedrock")).filter(({ path }) => path.endsWith("/count-tokens"));
  assert.equal(all.length, counts.length, "only Claude counts");
});

test("a messages request with URLs reaches Claude at Bedrock with their content, also in results of tools", async () => {
  const image = (path: string) => ({ type: "image", source: { type: "url", url: siteUrl + path } });
  const tools = [{ name: "look", input_schema: { type: "object" } }];
  const messages = [
    { role: "user", content: [image("/pixel.png"), { type: "text", text: "Look." }] },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [image("/pixel.png")] }] },
  ];
  const request = { model: "br", max_tokens: 50, tools, messages };
  for (const stream of [false, true]) {
    const { status, text } = await harness.call("messages", { ...request, stream });
    assert.equal(status, 200, text);
  }
  assert.equal((await harness.call("messages.count_tokens", { model: "br", tools, messages })).status, 200);
  const missing = [{ role: "user", content: [image("/none.png")] }];
  const { status, text } = await harness.call("messages", { ...request, messages: missing });
  assert.equal(status, 400, text);
  assert.match(text, /messages\.0\.content\.0\.source\.url/);
});

test("marked prompts of Nova are cached in both client formats, and cached tokens are billed as such", async () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const unitsOf = () =>
    Object.fromEntries(
      harness.admission.booked.at(-1)?.settlement?.units.map(({ name, quantity }) => [name, Number(quantity)]) ?? [],
    );
  const ask = async (system: string, format: "chat" | "messages", model: string, text: string) => {
    const parts = [{ type: "text", text: system, ...mark }];
    const user = { role: "user", content: text };
    const body =
      format === "chat"
        ? { model, messages: [{ role: "system", content: parts }, user] }
        : { model, max_tokens: 50, system: parts, messages: [user] };
    const { status, text: shown } = await harness.call(format === "chat" ? "chat.completions" : "messages", body);
    assert.equal(status, 200, shown);
    return unitsOf();
  };
  for (const format of ["chat", "messages"] as const) {
    const system = `${format}: ${"remember this. ".repeat(600)}`;
    const first = await ask(system, format, "br/nova", "one");
    const written = first["cache_write_5m_tokens"] ?? 0;
    assert.ok(written > 1_000, JSON.stringify(first));
    const second = await ask(system, format, "br/nova", "two");
    assert.equal(second["cached_input_tokens"], written);
    assert.equal(second["cache_write_5m_tokens"], undefined);
    assert.ok((second["input_tokens"] ?? 0) < 50, JSON.stringify(second));
  }
  const other = await ask("Be brief.", "messages", "br/llama", "one");
  assert.equal(other["cache_write_5m_tokens"], undefined, "a model without cache points gets none");
});
