// Fills a new, empty new-api by its own API, as the fixture has it: node make-new-api.ts <its URL> <the simulator's URL>.

const [gateway, simulator] = process.argv.slice(2);
if (gateway === undefined || simulator === undefined)
  throw new Error("usage: node make-new-api.ts <URL of a new, empty new-api> <URL of the simulator>");

const password = "fixture-pass-1";
const perUsd = 500_000;
const unlimited = { unlimited_quota: true, remain_quota: 0, expired_time: -1 };
const longAgo = 1_700_000_000;

interface Session {
  readonly id: number;
  readonly cookie: string;
}

async function send(method: string, path: string, body?: unknown, session?: Session): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    ...(session && { cookie: session.cookie, "new-api-user": String(session.id) }),
  };
  const response = await fetch(`${gateway}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function call(method: string, path: string, body?: unknown, session?: Session): Promise<unknown> {
  const result = (await (await send(method, path, body, session)).json()) as Record<string, unknown>;
  if (result["success"] !== true) throw new Error(`${method} ${path}: ${result["message"]}`);
  return result["data"];
}

async function login(username: string): Promise<Session> {
  const response = await send("POST", "/api/user/login", { username, password });
  const { data } = (await response.json()) as { data: { id: number } };
  return {
    id: data.id,
    cookie: response.headers
      .getSetCookie()
      .map((each) => each.split(";")[0])
      .join("; "),
  };
}

await call("POST", "/api/setup", { username: "root", password, confirmPassword: password });
const root = await login("root");

const options = {
  GroupRatio: { default: 1, vip: 0.5 },
  ModelRatio: { "gpt-4o-mini": 0.075, "gpt-4o": 1.25, "claude-sonnet-4-6": 1.5, "acme-large": 1, "acme-fast": 0.1 },
  CompletionRatio: { "claude-sonnet-4-6": 5, "acme-large": 3, "acme-fast": 4 },
  CacheRatio: { "gpt-4o-mini": 0.5, "gpt-4o": 0.5, "claude-sonnet-4-6": 0.1 },
};
for (const [key, value] of Object.entries(options))
  await call("PUT", "/api/option/", { key, value: JSON.stringify(value) }, root);

const channels = [
  { name: "openai-main", type: 1, key: "sk-fixture-openai-key-1111", base_url: `${simulator}/openai`, priority: 10 },
  { name: "openai-spare", type: 1, key: "sk-fixture-openai-key-2222", base_url: `${simulator}/openai`, weight: 5 },
  { name: "claude", type: 14, key: "sk-fixture-claude-key-3333", base_url: `${simulator}/anthropic`, group: "vip" },
  { name: "acme", type: 1, key: "sk-fixture-acme-key-4444", base_url: `${simulator}/vendor` },
  { name: "retired", type: 43, key: "sk-fixture-retired-key-5555", base_url: "" },
];
const models: Readonly<Record<string, string>> = {
  claude: "claude-sonnet-4-6",
  acme: "acme-large,acme-fast",
  retired: "deepseek-chat",
};
for (const channel of channels) {
  const mapping = channel.name === "acme" ? JSON.stringify({ "acme-fast": "gpt-4o-mini" }) : "";
  const fields = { models: models[channel.name] ?? "gpt-4o-mini,gpt-4o", group: "default,vip", model_mapping: mapping };
  await call("POST", "/api/channel/", { ...fields, ...channel }, root);
}
const stored = (await call("GET", "/api/channel/?p=0&page_size=100", undefined, root)) as {
  id: number;
  name: string;
}[];
const retired = stored.find(({ name }) => name === "retired");
await call("PUT", "/api/channel/", { id: retired?.id, status: 2 }, root);

const users = [
  { username: "ada", display_name: "Ada Lovelace", group: "default", quota: 5 * perUsd },
  { username: "bob", display_name: "Bob", group: "vip", quota: 2 * perUsd },
  { username: "eve", display_name: "Eve", group: "default", quota: perUsd },
];
const sessions = new Map<string, Session>();
for (const user of users) {
  await call("POST", "/api/user/", { ...user, password }, root);
  const session = await login(user.username);
  await call("PUT", "/api/user/", { id: session.id, ...user }, root);
  sessions.set(user.username, session);
}

const tokens: readonly [string, { readonly name: string; readonly [field: string]: unknown }][] = [
  ["ada", { ...unlimited, name: "notebook" }],
  [
    "ada",
    {
      ...unlimited,
      name: "ci",
      unlimited_quota: false,
      remain_quota: perUsd,
      model_limits_enabled: true,
      model_limits: "gpt-4o-mini",
    },
  ],
  ["ada", { ...unlimited, name: "office", allow_ips: "192.0.2.7" }],
  ["ada", { ...unlimited, name: "old", expired_time: longAgo }],
  ["ada", { ...unlimited, name: "used-up", unlimited_quota: false }],
  ["ada", { ...unlimited, name: "off" }],
  ["bob", { ...unlimited, name: "app" }],
  ["eve", { ...unlimited, name: "gone" }],
];
const secrets = new Map<string, string>();
for (const [username, token] of tokens) await call("POST", "/api/token/", token, sessions.get(username));
for (const session of sessions.values()) {
  const listed = await call("GET", "/api/token/?p=0&size=100", undefined, session);
  for (const { id, name, key } of listed as { id: number; name: string; key: string }[]) {
    secrets.set(name, `sk-${key}`);
    if (name === "off") await call("PUT", "/api/token/?status_only=true", { id, status: 2 }, session);
  }
}
await call("POST", "/api/user/manage", { id: sessions.get("eve")?.id, action: "disable" }, root);

const long = { role: "system", content: "A long text that the provider caches. ".repeat(300) };
const words = (model: string, count: number, before: readonly object[] = []) => ({
  model,
  messages: [...before, { role: "user", content: `repeat ${count} words` }],
  max_tokens: 500,
});
/** The requests of the fixture, by the token's name. */
const requests: readonly [string, object][] = [
  ["ci", words("gpt-4o-mini", 12)],
  ["ci", words("gpt-4o-mini", 40)],
  ["notebook", words("gpt-4o-mini", 9, [long])],
  ["notebook", words("gpt-4o-mini", 9, [long])],
  ["app", words("gpt-4o-mini", 25)],
  ["notebook", words("acme-large", 20)],
];
for (const [name, body] of requests) {
  const headers = { authorization: `Bearer ${secrets.get(name)}`, "content-type": "application/json" };
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  console.log(name, response.status, await response.text());
}
