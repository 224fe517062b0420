import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Listener } from "./console/listener.ts";
import { Visitor } from "./console/visitor.ts";

describe("the console behind the public server", () => {
  let fleet: TestFleet;
  const resources = new AsyncDisposableStack();
  const visitor = (): Visitor => new Visitor(fleet.run.console_url);
  const operator = async (): Promise<Visitor> => {
    const { email, password } = fleet.run.admin;
    return await visitor().signIn(email, password);
  };

  async function owner(email: string, accountId: string): Promise<Visitor> {
    const invited = (
      await (await operator()).post("/api/invitations", { email, role: "owner", account_id: accountId })
    ).json();
    const one = visitor();
    const path = invited.url.slice(fleet.run.console_url.length);
    const response = await one.post(`/api${path}/accept`, { password: "a password of the test" });
    assert.equal(response.status, 201, response.text);
    return one;
  }

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "console-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    fleet = resources.use(await startTestFleet({ dataDir, replicas: { console: 2 } }));
  });
  after(() => resources.disposeAsync());

  test("a sign-in is required, and the first operator signs in with the credentials that npm start printed", async () => {
    const stranger = visitor();
    for (const path of ["/api/session", "/api/sessions", "/api/users", "/api/admin/v1/keys", "/api/gateway/v1/models"])
      assert.equal((await stranger.get(path)).status, 401, path);
    const page = await stranger.get("/");
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-security-policy") ?? "", /script-src 'self';.*frame-ancestors 'none'/);
    assert.equal(page.headers.get("x-content-type-options"), "nosniff");

    const wrong = await stranger.post("/api/session", { email: fleet.run.admin.email, password: "not the password" });
    assert.equal(wrong.status, 401);
    const session = (await (await operator()).get("/api/session")).json();
    assert.equal(session.user.role, "operator");
    assert.equal(session.base_url, fleet.run.base_url);
  });

  test("the cookie is HttpOnly and SameSite=Lax, and each sign-in starts a new session", async () => {
    const { email, password } = fleet.run.admin;
    const first = await operator();
    const cookie = first.cookie;
    assert.match(
      first.setCookie,
      /^console_session=[\w-]{43}; Max-Age=\d+; Path=\/console; Expires=.*; HttpOnly; SameSite=Lax$/,
    );
    await first.signIn(email, password);
    assert.notEqual(first.cookie, cookie);
    const old = visitor();
    old.cookie = cookie;
    assert.equal((await old.get("/api/session")).status, 401, "the previous session has ended");
  });

  test("a write request needs the session's CSRF token and the console's origin", async () => {
    const person = await operator();
    const key = { key_alias: "forged" };
    const forged = [
      { "x-csrf-token": "" },
      { "x-csrf-token": "a".repeat(43) },
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of forged)
      assert.equal((await person.post("/api/admin/v1/keys", key, headers)).status, 403, JSON.stringify(headers));
    const listed = (await person.get("/api/admin/v1/keys?alias=forged")).json();
    assert.equal(listed.data.length, 0);
  });

  test("keys are issued and used as with the admin API, and the audit log records the user and address", async () => {
    const person = await operator();
    const made = await person.post("/api/admin/v1/keys", { key_alias: "from the console", rpm_limit: 5 });
    assert.equal(made.status, 201, made.text);
    const used = await fetch(`${fleet.run.base_url}/v1/models`, {
      headers: { authorization: `Bearer ${made.json().key}` },
    });
    assert.equal(used.status, 200);
    const rows = (await adminApi(fleet.run).call("GET", "/audit-log?limit=50")) as { data: AuditRow[] };
    const create = rows.data.find(({ target_id }) => target_id === made.json().id);
    assert.equal(create?.actor.name, "Console: admin@localhost");
    const signIn = rows.data.find(({ action }) => action === "console.sign_in");
    assert.equal(signIn?.actor.name, "admin@localhost");
    assert.equal(signIn?.client_address, "127.0.0.1");
    assert.ok(
      rows.data.some(({ action, after }) => action === "console.sign_in_failed" && after?.["email"] !== undefined),
    );
  });

  test("the playground streams a response with a hidden key, and its request id leads to the receipt", async () => {
    const person = await operator();
    const question = { model: "gpt-4o-mini", stream: true, messages: [{ role: "user", content: "Hello!" }] };
    const response = await person.post("/api/gateway/v1/chat/completions", question);
    assert.equal(response.status, 200, response.text);
    assert.match(response.headers.get("content-type") ?? "", /text\/event-stream/);
    assert.match(response.text, /data: \[DONE\]/);
    assert.match(response.headers.get("x-gateway-request-id") ?? "", /^req_/);
    const keys = (await person.get("/api/admin/v1/keys?alias=Console playground")).json();
    assert.ok(keys.data.length > 0);
    assert.doesNotMatch(response.text + JSON.stringify([...response.headers]), /sk-/);
  });

  test("a sign-out ends the session and revokes its tokens and keys", async () => {
    const person = await operator();
    await person.get("/api/admin/v1/keys");
    assert.equal((await person.get("/api/gateway/v1/models")).status, 200);
    const before = await revoked(fleet);
    assert.equal((await person.delete("/api/session")).status, 204);
    assert.equal((await person.get("/api/session")).status, 401);
    assert.ok((await revoked(fleet)) > before);
  });

  test("an open page is notified only of its account's usage", async () => {
    const api = adminApi(fleet.run);
    const other = ((await api.call("POST", "/accounts", { name: "Quiet" })) as { id: string }).id;
    const [busy, quiet] = await Promise.all(
      [fleet.run.account_id, other].map((accountId, n) => owner(`owner${n}@example.com`, accountId)),
    );
    using heard = new Listener(`${fleet.run.console_url}/api/events`, busy?.cookie ?? "");
    using others = new Listener(`${fleet.run.console_url}/api/events`, quiet?.cookie ?? "");
    await Promise.all([heard.open, others.open]);
    const question = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }] };
    assert.equal((await fleet.client.post("/v1/chat/completions", question)).status, 200);
    const types = (): string[] => heard.hints.map(({ type }) => type);
    await waitFor(() => types().includes("usage") && types().includes("balance"));
    for (const { account_id } of heard.hints) assert.ok([null, fleet.run.account_id].includes(account_id));
    assert.deepEqual(
      others.hints.filter(({ type }) => type !== "key"),
      [],
    );
  });

  test("sessions are listed with the current one marked, and can be ended from another session", async () => {
    const [here, there] = [await operator(), await operator()];
    const list = (await here.get("/api/sessions")).json().data as { id: string; current: boolean }[];
    assert.equal(list.filter(({ current }) => current).length, 1);
    const other = (await there.get("/api/sessions")).json().data.find(({ current }: { current: boolean }) => current);
    assert.equal((await here.delete(`/api/sessions/${other.id}`)).status, 204);
    assert.equal((await there.get("/api/session")).status, 401);
    assert.equal((await here.delete("/api/sessions/ses_nobody")).status, 404);
  });

  test("of concurrent guesses at one user's password, to any replica, only ten are checked", async () => {
    const guess = { email: "nobody@example.com", password: "a guess" };
    const since = performance.now();
    const tries = await Promise.all(Array.from({ length: 40 }, () => visitor().post("/api/session", guess)));
    // Plus one every five seconds for as long as the guesses take.
    const most = 10 + Math.ceil((performance.now() - since) / 5_000);
    const tried = tries.filter(({ status }) => status === 401).length;
    assert.ok(tried >= 10 && tried <= most, `${tried} of at most ${most}`);
    const refused = tries.filter(({ status }) => status === 429);
    assert.equal(refused.length, 40 - tried);
    for (const { headers } of refused) assert.ok(Number(headers.get("retry-after")) >= 1);
    const { email, password } = fleet.run.admin;
    await visitor().signIn(email, password);
  });

  test("each replica serves the other's sessions, and continues when the other is killed", async () => {
    const person = await operator();
    await fleet.processes.kill("console");
    await waitFor(async () => (await person.get("/api/session")).status === 200);
    for (let i = 0; i < 6; i++) assert.ok([200, 503].includes((await person.get("/api/admin/v1/keys")).status));
    await waitFor(async () => (await person.get("/api/admin/v1/keys")).status === 200);
  });
});

interface AuditRow {
  readonly action: string;
  readonly target_id: string;
  readonly actor: { readonly name: string };
  readonly client_address: string | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** The number of revoked admin tokens. */
async function revoked(fleet: TestFleet): Promise<number> {
  const { data } = (await adminApi(fleet.run).call("GET", "/tokens?limit=1000")) as {
    data: { revoked_at: string | null }[];
  };
  return data.filter(({ revoked_at }) => revoked_at !== null).length;
}
