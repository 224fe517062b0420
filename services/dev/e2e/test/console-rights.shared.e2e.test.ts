import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type AdminOperation, adminRoutes } from "@uag/contract/routes";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { adminOperations } from "@uag/router/openapi/admin";
import { consoleFieldRights, fieldRights, kinds } from "./console/field-rights.ts";
import { enrol, firstOperator, userIdOf } from "./console/people.ts";
import { writable } from "./console/rights-problems.ts";
import type { Visitor, VisitorResponse } from "./console/visitor.ts";

/** Limits set by an owner, beside a shared budget, and the value with which a member would lift each. */
const fixedCaps = {
  models: ["gpt-4o-mini"],
  rpm_limit: 10,
  tpm_limit: 100_000,
  max_parallel_requests: 2,
  max_budget: 5,
} as const;
const lifted: Readonly<Record<string, unknown>> = {
  models: [],
  rpm_limit: null,
  tpm_limit: null,
  max_parallel_requests: null,
  max_budget: null,
  budget_id: null,
  expires: null,
  key_alias: "renamed",
  metadata: { team: "a" },
};

describe("the rights of each role, field by field", () => {
  let fleet: SharedFleet;
  const people: Record<string, Visitor> = {};
  const person = (kind: string): Visitor => people[kind] as Visitor;
  let caps: Readonly<Record<string, unknown>> = {};
  let memberKey = "";
  let ownerKey = "";
  let stranger = { account: "", key: "" };

  before(async () => {
    fleet = await openSharedFleet();
    const operator = await firstOperator(fleet);
    people["operator"] = operator;
    const { account_id } = fleet.run;
    for (const [kind, role, account] of [
      ["owner", "owner", account_id],
      ["member", "member", account_id],
      ["auditor_of_account", "auditor", account_id],
      ["auditor_of_all", "auditor", null],
    ] as const)
      people[kind] = await enrol(fleet, operator, { email: `${kind}@example.com`, role, account_id: account });
    const team = { account_id, name: "team", max_budget: "5" };
    const budgetId = (await person("owner").post("/api/admin/v1/budgets", team)).json().id;
    caps = { ...fixedCaps, budget_id: budgetId };
    memberKey = (await person("member").post("/api/admin/v1/keys", { key_alias: "member's" })).json().id;
    ownerKey = (await person("owner").post("/api/admin/v1/keys", { key_alias: "owner's" })).json().id;
    const account = (await operator.post("/api/admin/v1/accounts", { name: "Another" })).json().id;
    const key = (await operator.post("/api/admin/v1/keys", { account_id: account })).json().id;
    stranger = { account, key };
  });

  const capKey = async (): Promise<void> => {
    const capped = await person("owner").patch(`/api/admin/v1/keys/${memberKey}`, { ...caps, expires: "30d" });
    assert.equal(capped.status, 200, capped.text);
  };

  /** The outcome for one field: refused by `role` or by `field`, or `open`. */
  async function cell(kind: string, operation: AdminOperation, field: string): Promise<string> {
    const route = adminRoutes.find((one) => one.operation === operation);
    assert.ok(route);
    const path = route.path.replace(":id", operation === "admin.keys.update" ? memberKey : "nothing_1");
    const value = field === "account_id" ? fleet.run.account_id : (lifted[field] ?? null);
    const body = field === "" ? {} : { [field]: value };
    return outcomeOf(await person(kind).send(route.method, `/api${path}`, { body }), field);
  }

  function outcomeOf({ status, text }: VisitorResponse, field: string): string {
    assert.ok(status < 500, `${field} ${text}`);
    if (status !== 403) return "open";
    if (text.includes("Your role does not allow that.")) return "role";
    return JSON.parse(text).error.param === field ? "field" : text;
  }

  test("each role may set exactly the fields in the table for people and invitations", async () => {
    const operator = person("operator");
    const { account_id } = fleet.run;
    const invited = { role: "member", account_id };
    await enrol(fleet, operator, { email: "changed@example.com", ...invited });
    const path = `/api/users/${await userIdOf(operator, "changed@example.com")}`;
    const beyond = { role: "operator", account_id: stranger.account, disabled: true, key_limits: { rpm_limit: 1 } };
    for (const kind of kinds) {
      for (const [field, row] of Object.entries(consoleFieldRights["users.update"])) {
        const before = await operator.patch(path, { ...invited, disabled: false, key_limits: {} });
        assert.equal(before.status, 200, before.text);
        const body = { [field]: beyond[field as keyof typeof beyond] };
        assert.equal(outcomeOf(await person(kind).patch(path, body), field), row[kind], `${kind}: users ${field}`);
      }
      for (const [field, row] of Object.entries(consoleFieldRights["invitations.create"])) {
        const email = `${kind}-${field}@example.com`;
        const own = { email, ...invited, ...(field === "role" && { role: "operator", account_id: null }) };
        const body = { ...own, ...(field === "account_id" && { account_id: stranger.account }) };
        const made = await person(kind).post("/api/invitations", body);
        assert.equal(outcomeOf(made, field), row[kind], `${kind}: invitations ${field}`);
        assert.equal(made.status, row[kind] === "open" ? 201 : 403, made.text);
      }
    }
  });

  test("each role may set exactly the fields in the table", async () => {
    for (const kind of kinds) {
      for (const operation of writable) {
        await capKey();
        for (const [field, row] of Object.entries(fieldRights[operation] ?? {}))
          assert.equal(await cell(kind, operation, field), row[kind], `${kind}: ${operation} ${field}`);
      }
    }
  });

  test("no query field shows a user another account, or a member another user's key", async () => {
    const values = [stranger.account, stranger.key, ownerKey, "1", ""];
    for (const kind of ["owner", "member", "auditor_of_account"]) {
      const hidden = [stranger.account, stranger.key, ...(kind === "member" ? [ownerKey] : [])];
      for (const { operation, path, method } of adminRoutes) {
        if (method !== "GET" || path.includes(":")) continue;
        for (const field of Object.keys(adminOperations[operation]?.query ?? {}))
          for (const value of values) {
            const { status, text } = await person(kind).get(`/api${path}?${new URLSearchParams({ [field]: value })}`);
            assert.ok(status < 500, `${kind} ${path} ${field} ${text}`);
            // The audit log repeats the requested values in fields of other names.
            const shown = hidden.filter((id) => new RegExp(`"(?:id|key_id|account_id)":"${id}"`).test(text));
            assert.deepEqual(status === 200 ? shown : [], [], `${kind} ${path}?${field}=${value}`);
          }
      }
    }
  });

  test("a member's new key and playground inherit the limits that an owner set on one of their keys", async () => {
    await capKey();
    const member = person("member");
    const made = (await member.post("/api/admin/v1/keys", { key_alias: "second" })).json();
    for (const [name, value] of Object.entries(caps)) assert.deepEqual(made[name], value, name);
    const tighter = await member.post("/api/admin/v1/keys", { rpm_limit: 5 });
    assert.equal(tighter.json().rpm_limit, 5, tighter.text);
    assert.equal((await member.post("/api/admin/v1/keys", { rpm_limit: 11 })).status, 403);
    const models = (await member.get("/api/gateway/v1/models")).json().data as { id: string }[];
    assert.deepEqual(
      models.map(({ id }) => id),
      ["gpt-4o-mini"],
    );
  });

  test("a member tightens a key's limits, and renames the key without changing them", async () => {
    await capKey();
    const member = person("member");
    const before = (await member.get(`/api/admin/v1/keys/${memberKey}`)).json();
    const { models, rpm_limit, tpm_limit, max_parallel_requests, max_budget } = before;
    const unchanged = { models, rpm_limit, tpm_limit, max_parallel_requests, max_budget: String(max_budget) };
    const renamed = await member.patch(`/api/admin/v1/keys/${memberKey}`, { key_alias: "new name", ...unchanged });
    assert.equal(renamed.status, 200, renamed.text);
    const tightened = await member.patch(`/api/admin/v1/keys/${memberKey}`, { rpm_limit: 3, expires: "1d" });
    assert.equal(tightened.status, 200, tightened.text);
    const loosened = await member.patch(`/api/admin/v1/keys/${memberKey}`, { rpm_limit: 4 });
    assert.deepEqual([loosened.status, loosened.json().error.param], [403, "rpm_limit"]);
  });

  test("an owner sets and lifts a member's limits, and the member cannot", async () => {
    const owner = person("owner");
    const id = await userIdOf(owner, "member@example.com");
    const set = await owner.patch(`/api/users/${id}`, { key_limits: { rpm_limit: 7, models: [] } });
    assert.deepEqual(set.json().key_limits, { rpm_limit: 7 }, set.text);
    assert.equal((await person("member").patch(`/api/users/${id}`, { key_limits: {} })).status, 403);
    assert.equal((await person("member").post("/api/admin/v1/keys", { rpm_limit: null })).status, 403);
    assert.deepEqual((await owner.patch(`/api/users/${id}`, { key_limits: {} })).json().key_limits, {});
    assert.equal((await person("member").post("/api/admin/v1/keys", { rpm_limit: null })).status, 201);
  });
});
