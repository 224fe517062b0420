import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createTestClient } from "@uag/harness/fleet/client";
import { counterOf } from "@uag/harness/fleet/metrics";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { enrol, firstOperator, invite, password, userIdOf } from "./console/people.ts";
import { Visitor } from "./console/visitor.ts";

describe("the removal of a user", () => {
  let fleet: SharedFleet;
  let operator: Visitor;

  before(async () => {
    fleet = await openSharedFleet();
    operator = await firstOperator(fleet);
  });

  const account = () => ({ account_id: fleet.run.account_id });
  const statusWith = async (apiKey: string): Promise<number> =>
    (await createTestClient({ baseUrl: fleet.run.base_url, apiKey }).get("/v1/models")).status;
  const isRevoked = (apiKey: string) => waitFor(async () => (await statusWith(apiKey)) === 401);

  async function acceptStatus(link: string): Promise<number> {
    const guest = new Visitor(fleet.run.console_url);
    return (await guest.post(`/api${link}/accept`, { name: "Guest", password })).status;
  }

  test("ends their sessions and revokes their invitations, keys and tokens", async () => {
    const owner = await enrol(fleet, operator, { email: "leaver@example.com", role: "owner", ...account() });
    const key = (await owner.post("/api/admin/v1/keys", { key_alias: "production" })).json();
    assert.equal((await owner.get("/api/gateway/v1/models")).status, 200);
    const link = await invite(fleet, owner, { email: "friend@example.com", role: "owner" });
    const keys = (await operator.get("/api/admin/v1/keys?limit=1000")).json().data as { id: string }[];
    const id = await userIdOf(operator, "leaver@example.com");

    const left = (await operator.get(`/api/users/${id}/credentials`)).json().data as { id: string; kind: string }[];
    assert.deepEqual(
      left.map((one) => [one.kind, one.id]),
      [["key", key.id]],
    );
    const undecided = await operator.delete(`/api/users/${id}`);
    assert.deepEqual([undecided.status, undecided.json().error.param], [400, "credentials"]);
    assert.equal((await operator.delete(`/api/users/${id}?credentials=revoke`)).status, 204);

    assert.equal((await owner.get("/api/session")).status, 401);
    assert.equal((await owner.post("/api/session", { email: "leaver@example.com", password })).status, 401);
    assert.equal(await acceptStatus(link), 404);
    const invitations = (await operator.get("/api/invitations")).json().data as { email: string }[];
    assert.ok(!invitations.some(({ email }) => email === "friend@example.com"));
    await isRevoked(key.key);
    const tokens = (await operator.get("/api/admin/v1/tokens?limit=1000")).json().data;
    for (const { name, revoked_at } of tokens as { name: string; revoked_at: string | null }[])
      if (name.includes("leaver@example.com")) assert.notEqual(revoked_at, null, name);
    const after = (await operator.get("/api/admin/v1/keys?limit=1000")).json().data as { id: string }[];
    // The user's own key and the playground's.
    assert.equal(keys.length - after.length, 2);
  });

  test("leaves a key working only if the manager keeps it", async () => {
    const member = await enrol(fleet, operator, { email: "kept@example.com", role: "member", ...account() });
    const key = (await member.post("/api/admin/v1/keys", { key_alias: "kept" })).json();
    const id = await userIdOf(operator, "kept@example.com");
    assert.equal((await operator.delete(`/api/users/${id}?credentials=keep`)).status, 204);
    assert.equal(await statusWith(key.key), 200);
  });

  test("does not reset the account's budget of 30 invitations per hour, which the others see", async () => {
    const other = (await operator.post("/api/admin/v1/accounts", { name: "Eager" })).json() as { id: string };
    const accountId = other.id;
    const [first, second] = [
      await enrol(fleet, operator, { email: "eager1@example.com", role: "owner", account_id: accountId }),
      await enrol(fleet, operator, { email: "eager2@example.com", role: "owner", account_id: accountId }),
    ];
    const ask = (n: number) =>
      (n % 2 === 0 ? first : second).post("/api/invitations", { email: `friend${n}@example.com`, role: "member" });
    for (let n = 0; n < 30; n++) assert.equal((await ask(n)).status, 201);
    const id = await userIdOf(operator, "eager1@example.com");
    assert.equal((await operator.delete(`/api/users/${id}?credentials=revoke`)).status, 204);
    // One more may be free: the budget refills while the test runs.
    const [last, next] = [await ask(31), await ask(33)];
    const refused = last.status === 429 ? last : next;
    assert.deepEqual([refused.status, refused.json().error.code], [429, "rate_limit_exceeded"]);
    assert.match(refused.json().error.message, /30 invitations per hour/);
    const seconds = Number(refused.headers.get("retry-after"));
    assert.ok(seconds > 0 && seconds <= 240, `${seconds}`);
    const budget = (await second.get("/api/invitation-budget")).json();
    assert.deepEqual([budget.per_hour, budget.used], [30, 30]);
    assert.ok(Date.parse(budget.full_at) > Date.now() + 3_000_000);
    assert.ok((await counterOf(fleet, "console", "uag_console_invitations_refused_total")) >= 1);
    await invite(fleet, operator, { email: "friend32@example.com", role: "member", account_id: accountId });
    const unlimited = (await operator.get("/api/invitation-budget")).json();
    assert.deepEqual([unlimited.per_hour, unlimited.used], [null, 0]);
  });

  test("invalidates their invitations with rights that they have lost", async () => {
    for (const [email, change] of [
      ["demoted@example.com", { role: "member" }],
      ["disabled@example.com", { disabled: true }],
    ] as const) {
      const owner = await enrol(fleet, operator, { email, role: "owner", ...account() });
      const link = await invite(fleet, owner, { email: `friend-of-${email}`, role: "owner" });
      const id = await userIdOf(operator, email);
      assert.equal((await operator.patch(`/api/users/${id}`, change)).status, 200);
      assert.equal(await acceptStatus(link), 404, email);
      assert.equal((await new Visitor(fleet.run.console_url).get(`/api${link}`)).status, 404);
    }
  });

  test("revokes the admin tokens that they created as an operator", async () => {
    const other = await enrol(fleet, operator, { email: "op2@example.com", role: "operator", account_id: null });
    const made = (await other.post("/api/admin/v1/tokens", { name: "backdoor" })).json();
    const accounts = (): Promise<Response> =>
      fetch(`${fleet.run.admin_url}/accounts`, { headers: { authorization: `Bearer ${made.token}` } });
    assert.equal((await accounts()).status, 200);
    const id = await userIdOf(operator, "op2@example.com");
    const { data } = (await operator.get(`/api/users/${id}/credentials`)).json();
    assert.deepEqual(
      data.map((one: { id: string; kind: string }) => [one.kind, one.id]),
      [["admin_token", made.id]],
    );
    assert.equal((await operator.delete(`/api/users/${id}?credentials=revoke`)).status, 204);
    assert.equal((await accounts()).status, 401);
  });
});
