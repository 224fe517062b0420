import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { adminRoutes } from "@uag/contract/routes";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { enrol as enrolIn, firstOperator, invite as inviteTo, password } from "./console/people.ts";
import { Visitor } from "./console/visitor.ts";

const reads = [
  "GET /accounts/:id",
  "GET /accounts/:id/forecast",
  "GET /accounts/:id/holds",
  "GET /accounts/:id/invoices",
  "GET /accounts/:id/invoices/:month",
  "GET /accounts/:id/ledger",
  "GET /accounts/:id/message-budgets",
  "GET /alerts",
  "GET /audit-log",
  "GET /budgets",
  "GET /budgets/:id",
  "GET /budgets/:id/end-users",
  "GET /envelopes",
  "GET /envelopes/:id",
  "GET /keys",
  "GET /keys/:id",
  "GET /keys/:id/use",
  "GET /ledger",
  "GET /models",
  "GET /refusals",
  "GET /refusals/series",
  "GET /usage",
  "GET /usage/events",
  "GET /usage/events/:id",
  "GET /usage/export",
  "GET /usage/series",
  "GET /webhooks/deliveries",
  "GET /webhooks/deliveries/:id",
  "GET /webhooks/secrets",
];
const keyWrites = ["DELETE /keys/:id", "PATCH /keys/:id", "POST /keys", "POST /keys/:id/regenerate"];

/** What each role may call of the admin API; an operator may call everything. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  owner: [
    ...reads,
    ...keyWrites,
    "DELETE /alerts/:id",
    "PATCH /alerts/:id",
    "POST /alerts",
    "POST /alerts/:id/test",
    "DELETE /budgets/:id",
    "PATCH /budgets/:id",
    "POST /budgets",
    "POST /envelopes/:id/close",
    "DELETE /webhooks/secrets/:id",
    "POST /webhooks/deliveries/:id/replay",
    "POST /webhooks/secrets",
  ],
  member: [
    "GET /keys",
    "GET /keys/:id",
    "GET /keys/:id/use",
    "GET /models",
    "GET /refusals",
    "GET /refusals/series",
    "GET /usage",
    "GET /usage/events",
    "GET /usage/events/:id",
    "GET /usage/export",
    "GET /usage/series",
    ...keyWrites,
  ],
  auditor: [...reads, "GET /accounts", "GET /fleet", "GET /reconciliations", "GET /tokens"],
};

describe("roles in the console", () => {
  let fleet: TestFleet;
  let operator: Visitor;
  const people: Record<string, Visitor> = {};
  const resources = new AsyncDisposableStack();
  const account = (): string => fleet.run.account_id;
  let otherAccount = "";
  let otherKey = "";

  const invite = (by: Visitor, body: object) => inviteTo(fleet, by, body);
  const enrol = (by: Visitor, email: string, role: string, accountId: string | null) =>
    enrolIn(fleet, by, { email, role, account_id: accountId });

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "console-roles-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    fleet = resources.use(await startTestFleet({ dataDir, single: true, env: { TRUSTED_HOPS: "1" } }));
    operator = await firstOperator(fleet);
    const api = adminApi(fleet.run);
    otherAccount = ((await api.call("POST", "/accounts", { name: "Other" })) as { id: string }).id;
    otherKey = ((await api.call("POST", "/keys", { account_id: otherAccount })) as { id: string }).id;
    for (const role of Object.keys(allowed))
      people[role] = await enrol(operator, `${role}@example.com`, role, role === "auditor" ? null : account());
  });
  after(() => resources.disposeAsync());

  const person = (role: string): Visitor => people[role] as Visitor;

  test("every admin API route is refused to exactly the roles that are not in the table", async () => {
    for (const [role, names] of Object.entries(allowed)) {
      for (const { method, path } of adminRoutes) {
        const name = `${method} ${path.replace("/admin/v1", "")}`;
        const requested = path.replace(/:\w+/g, "nothing_1");
        const response = await person(role).send(method, `/api${requested}`, method === "GET" ? {} : { body: {} });
        const refused = response.status === 403 && response.text.includes("Your role does not allow that.");
        assert.equal(!refused, names.includes(name), `${role}: ${name} answered ${response.status} ${response.text}`);
      }
    }
  });

  test("an owner and a member cannot access another account by path, query or body", async () => {
    for (const role of ["owner", "member"]) {
      const one = person(role);
      for (const path of [`/keys/${otherKey}`, `/accounts/${otherAccount}`, `/accounts/${otherAccount}/ledger`]) {
        const { status } = await one.get(`/api/admin/v1${path}`);
        assert.ok(status === 404 || status === 403, `${role} ${path} ${status}`);
      }
      for (const path of ["/keys", "/usage", "/usage/events", "/refusals", "/ledger", "/audit-log"]) {
        const { status, text } = await one.get(`/api/admin/v1${path}?account=${otherAccount}`);
        assert.ok(status >= 400, `${role} ${path} ${status} ${text}`);
      }
      const made = await one.post("/api/admin/v1/keys", { account_id: otherAccount });
      assert.equal(made.status, 403);
      assert.equal((await one.delete(`/api/admin/v1/keys/${otherKey}`)).status, 404);
      assert.equal((await one.get(`/api/gateway/v1/models?account=${otherAccount}`)).status, 403);
    }
  });

  test("a member sees only their own keys and usage, regardless of the format of a key's metadata", async () => {
    const member = person("member");
    const owner = person("owner");
    const users = (await owner.get("/api/users")).json().data as { id: string; email: string }[];
    const memberId = users.find(({ email }) => email === "member@example.com")?.id;
    const metadata = { team: "a", console_user: memberId };
    const owners = (await owner.post("/api/admin/v1/keys", { key_alias: "owner's", metadata })).json();
    const made = await member.post("/api/admin/v1/keys", { key_alias: "mine", metadata: { console_user: "usr_x" } });
    assert.equal(made.status, 201, made.text);
    const own = made.json();
    assert.equal(own.metadata.console_user, memberId);

    const listed = (await member.get("/api/admin/v1/keys")).json().data as { id: string; metadata: object }[];
    assert.ok(listed.some(({ id }) => id === own.id));
    for (const { metadata: of } of listed) assert.deepEqual(of, { console_user: memberId });
    assert.equal((await member.get(`/api/admin/v1/keys/${owners.id}`)).status, 404);
    assert.equal((await member.patch(`/api/admin/v1/keys/${owners.id}`, { key_alias: "taken" })).status, 404);
    assert.equal((await member.get(`/api/admin/v1/usage?key=${owners.id}`)).status, 404);
    assert.equal((await member.get(`/api/admin/v1/usage?key=${own.id}&key=${owners.id}`)).status, 400);
    assert.equal((await member.get("/api/admin/v1/usage")).status, 400);
    assert.equal((await member.get("/api/admin/v1/refusals")).status, 400);
    assert.equal((await member.get(`/api/admin/v1/refusals?key=${owners.id}`)).status, 404);
    assert.equal((await member.get(`/api/admin/v1/keys/${owners.id}/use`)).status, 404);
    assert.equal((await member.get(`/api/admin/v1/usage?key=${own.id}`)).status, 200);

    const changed = await owner.patch(`/api/admin/v1/keys/${own.id}`, { metadata: { team: "b" } });
    assert.deepEqual(changed.json().metadata, { team: "b", console_user: memberId });
    assert.equal((await member.post(`/api/admin/v1/keys/${own.id}/regenerate`, {})).status, 200);
    assert.equal((await member.delete(`/api/admin/v1/keys/${own.id}`)).status, 200);
  });

  test("the audit log has the browser's address, not one from a header", async () => {
    const from = { "x-forwarded-for": "198.51.100.7, 203.0.113.9" };
    const made = await person("owner").post("/api/admin/v1/keys", { key_alias: "from afar" }, from);
    assert.equal(made.status, 201, made.text);
    const rows = (await operator.get(`/api/admin/v1/audit-log?target=${made.json().id}`)).json().data;
    assert.equal(rows[0].client_address, "203.0.113.9");
  });

  test("the session cookie, and its removal, are Secure behind a trusted proxy with TLS", async () => {
    const { email, password: first } = fleet.run.admin;
    const tls = { "x-forwarded-proto": "https" };
    const one = new Visitor(fleet.run.console_url);
    const opened = await one.post("/api/session", { email, password: first }, tls);
    assert.equal(opened.status, 201, opened.text);
    assert.match(one.setCookie, /^console_session=.*; HttpOnly; Secure; SameSite=Lax$/);
    one.csrf = opened.json().csrf_token;
    assert.equal((await one.send("DELETE", "/api/session", { headers: tls })).status, 204);
    assert.match(one.setCookie, /^console_session=; .*; HttpOnly; Secure; SameSite=Lax$/);
  });

  test("an auditor spends nothing and changes nothing, and an owner cannot top up", async () => {
    assert.equal((await person("auditor").get("/api/gateway/v1/models")).status, 403);
    assert.equal((await person("auditor").get("/api/admin/v1/keys")).status, 200);
    assert.equal((await person("auditor").get("/api/users")).status, 403);
    const topUp = await person("owner").post(`/api/admin/v1/accounts/${account()}/top-ups`, { amount_usd: "1" });
    assert.equal(topUp.status, 403);
  });

  test("an invitation is valid once, for one account and role, and can be withdrawn; an owner invites only to their own account", async () => {
    const owner = person("owner");
    for (const body of [
      { email: "a@example.com", role: "operator", account_id: null },
      { email: "a@example.com", role: "member", account_id: otherAccount },
    ])
      assert.equal((await owner.post("/api/invitations", body)).status, 403, JSON.stringify(body));
    for (const role of ["member", "auditor"])
      assert.equal((await person(role).post("/api/invitations", { email: "b@example.com", role })).status, 403);

    const link = await invite(owner, { email: "New@Example.com", role: "member" });
    const guest = new Visitor(fleet.run.console_url);
    assert.equal((await guest.get(`/api${link}`)).json().email, "new@example.com");
    assert.equal((await guest.post(`/api${link}/accept`, { name: "New", password: "short" })).status, 400);
    const two = [new Visitor(fleet.run.console_url), new Visitor(fleet.run.console_url)];
    const responses = await Promise.all(two.map((one) => one.post(`/api${link}/accept`, { name: "New", password })));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 404]);
    assert.equal((await guest.get(`/api${link}`)).status, 404);

    const back = await invite(owner, { email: "c@example.com", role: "member" });
    const [{ id }] = (await owner.get("/api/invitations")).json().data;
    assert.equal((await owner.delete(`/api/invitations/${id}`)).status, 204);
    assert.equal((await guest.get(`/api${back}`)).status, 404);
  });

  test("disabled and removed users are signed out at once, a changed role applies at once, and users cannot change their own role", async () => {
    const owner = person("owner");
    const leaver = await enrol(owner, "leaver@example.com", "member", account());
    const users = (await owner.get("/api/users")).json().data as { id: string; email: string }[];
    const idOf = (email: string): string => users.find((user) => user.email === email)?.id ?? "";
    assert.equal((await owner.patch(`/api/users/${idOf("owner@example.com")}`, { role: "member" })).status, 403);
    assert.equal((await leaver.get("/api/admin/v1/keys")).status, 200);
    assert.equal((await owner.patch(`/api/users/${idOf("leaver@example.com")}`, { disabled: true })).status, 200);
    assert.equal((await leaver.get("/api/session")).status, 401);
    const again = await leaver.post("/api/session", { email: "leaver@example.com", password });
    assert.equal(again.status, 401);
    assert.equal((await owner.delete(`/api/users/${idOf("leaver@example.com")}`)).status, 204);
    assert.equal((await owner.patch(`/api/users/${idOf("leaver@example.com")}`, { disabled: false })).status, 404);
    const operators = (await operator.get("/api/users")).json().data as { id: string; role: string }[];
    const first = operators.find(({ role }) => role === "operator");
    assert.equal((await owner.patch(`/api/users/${first?.id}`, { disabled: true })).status, 404);
    await waitFor(async () => {
      const { data } = (await adminApi(fleet.run).call("GET", "/audit-log?limit=200")) as {
        data: { action: string }[];
      };
      return ["console.user_update", "console.user_delete", "console.invitation_accept"].every((wanted) =>
        data.some(({ action }) => action === wanted),
      );
    });
  });

  test("password guesses are throttled with 429 and retry-after", async () => {
    const guesser = new Visitor(fleet.run.console_url);
    const guess = (word: string) => guesser.post("/api/session", { email: "member@example.com", password: word });
    // All attempts are sent at once: ten are free, and each further attempt costs five seconds,
    // regardless of the machine's speed.
    const guesses = await Promise.all(Array.from({ length: 18 }, (_, i) => guess(`guess ${i}`)));
    for (const { status } of guesses) assert.ok([401, 429].includes(status), String(status));
    const held = await guess(password);
    assert.equal(held.status, 429);
    assert.ok(Number(held.headers.get("retry-after")) > 0);
  });
});
