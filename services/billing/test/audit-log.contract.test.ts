import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { AdminRole, type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import { digestKey } from "@uag/runtime/api-key";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { createConnection } from "mongoose";
import { faults, fund, pepper, scratch, startBilling } from "./harness.ts";

const refused = (code: string) => (error: unknown) => (error as GatewayError).code === code;
const actor = { id: "admtok_x", name: "Ada", requestId: "req_1", clientAddress: "192.0.2.7" };
const everything = { accountId: "", targetId: "", action: "", page: undefined };
const adminOn = (port: number): RpcClient<AdminServiceServer> =>
  createRpcClient<AdminServiceServer>(AdminServiceService, `127.0.0.1:${port}`, insecure);
const action = (targetId: string) => ({
  actor,
  action: "webhook_secret.rotate",
  targetId,
  accountId: "acme",
  after: '{"overlap_seconds":0}',
});

/** Writes to the audit log directly, as someone with database access. */
async function withDatabaseAccess(env: NodeJS.ProcessEnv, work: (rows: Collection) => Promise<unknown>): Promise<void> {
  const connection = await createConnection(env["MONGODB_URL"] ?? "", {
    dbName: env["MONGODB_DATABASE"] ?? "",
  }).asPromise();
  await work(connection.collection("audit_log"));
  await connection.close();
}
type Collection = ReturnType<ReturnType<typeof createConnection>["collection"]>;

test("the audit log is a chain in which concurrent rows get distinct positions and keep their origin", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  using admin = adminOn(billing.grpcPort);
  await Promise.all(Array.from({ length: 20 }, (_, index) => admin.recordAction(action(`s${index}`))));
  const { records } = await admin.listAuditRecords(everything);
  const seqs = records.map(({ seq }) => Number(seq)).sort((a, b) => a - b);
  assert.deepEqual(
    seqs,
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  assert.ok(records.every((record) => record.actor?.clientAddress === "192.0.2.7" && record.hash.length === 32));
  assert.deepEqual(await faults(billing), []);
});

for (const [what, change] of [
  ["changed", (rows) => rows.updateOne({ targetId: "s1" }, { $set: { actorName: "Eve" } })],
  ["removed", (rows) => rows.deleteOne({ targetId: "s1" })],
  ["removed from the end", (rows) => rows.deleteOne({ targetId: "s3" })],
  [
    "inserted",
    (rows) =>
      rows.insertOne({ _id: "aud_x" as never, at: new Date(), actorId: "x", action: "key.create", targetId: "k" }),
  ],
] as [string, (rows: Collection) => Promise<unknown>][]) {
  test(`the audit detects a row of the audit log that was ${what}`, async () => {
    await using db = scratch();
    await using billing = await startBilling(db.env);
    using admin = adminOn(billing.grpcPort);
    for (const target of ["s0", "s1", "s2", "s3"]) await admin.recordAction(action(target));
    assert.deepEqual(await faults(billing), []);
    await withDatabaseAccess(db.env, change);
    assert.ok((await faults(billing)).some((sentence) => /[Aa]udit/.test(sentence)));
  });
}

test("rows older than the chain stay readable and do not count as faults", async () => {
  await using db = scratch();
  const old = { at: new Date(1), actorId: "a", actorName: "Ada", requestId: "r", action: "key.create", targetId: "k" };
  await withDatabaseAccess(db.env, (rows) =>
    rows.insertOne({ _id: "aud_old" as never, ...old, after: '{"key_alias":"k"}' }),
  );
  await using billing = await startBilling(db.env);
  using admin = adminOn(billing.grpcPort);
  await admin.recordAction(action("s0"));
  const { records } = await admin.listAuditRecords(everything);
  assert.deepEqual(
    records.map(({ id, seq }) => [id.slice(0, 4), seq]),
    [
      ["aud_", 1n],
      ["aud_", 0n],
    ],
  );
  assert.equal(records[1]?.after, '{"key_alias":"k"}');
  assert.deepEqual(await faults(billing), []);
});

test("records the first token's creation, replacement and revocation, and nothing for a start without changes", async () => {
  await using db = scratch();
  const [first, second] = ["first-token-of-this-fleet-1234", "other-token-of-this-fleet-5678"];
  const actionsAfter = async (env: Record<string, string>): Promise<string[]> => {
    await using billing = await startBilling({ ...db.env, ...env });
    using admin = adminOn(billing.grpcPort);
    assert.deepEqual(await faults(billing), []);
    return (await admin.listAuditRecords(everything)).records.map((record) => record.action).reverse();
  };
  const made = "admin_token.create";
  assert.deepEqual(await actionsAfter({ ADMIN_TOKEN: first }), [made]);
  assert.deepEqual(await actionsAfter({ ADMIN_TOKEN: first }), [made]);
  const rotated = { KEY_PEPPER: "77".repeat(32), KEY_PEPPER_PREVIOUS: pepper };
  assert.deepEqual(await actionsAfter({ ADMIN_TOKEN: first, ...rotated }), [made]);
  assert.deepEqual(await actionsAfter({ ADMIN_TOKEN: second, ...rotated }), [made, "admin_token.replace"]);
  assert.deepEqual(await actionsAfter(rotated), [made, "admin_token.replace", "admin_token.revoke"]);
});

test("a configured token and its successor are both valid, even while replicas disagree which is the successor", async () => {
  await using db = scratch();
  const [old, fresh] = ["console-token-of-yesterday", "console-token-of-tomorrow"];
  const digestOf = (secret: string): Buffer => digestKey(secret, Buffer.from(pepper, "hex"));
  const validAfter = async (env: NodeJS.ProcessEnv): Promise<boolean[]> => {
    await using billing = await startBilling({ ...db.env, ...env });
    using admin = adminOn(billing.grpcPort);
    const isValid = (secret: string) =>
      admin.resolveAdminToken({ digest: digestOf(secret), previousDigests: [] }).then(
        () => true,
        (error: unknown) => !refused("not_found")(error),
      );
    return [await isValid(old), await isValid(fresh)];
  };
  const accepting = { CONSOLE_ADMIN_TOKEN: old, CONSOLE_ADMIN_TOKEN_PREVIOUS: fresh };
  const changed = { CONSOLE_ADMIN_TOKEN: fresh, CONSOLE_ADMIN_TOKEN_PREVIOUS: old };
  assert.deepEqual(await validAfter({ CONSOLE_ADMIN_TOKEN: old }), [true, false]);
  for (const env of [accepting, changed, accepting, changed]) assert.deepEqual(await validAfter(env), [true, true]);
  assert.deepEqual(await validAfter({ CONSOLE_ADMIN_TOKEN: fresh }), [false, true]);
});

test("an admin token has a role, an account and an expiry, and does not resolve after it", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  using admin = adminOn(billing.grpcPort);
  const accountId = await fund(billing, 1n);
  const digestOf = (secret: string): Buffer => digestKey(secret, Buffer.from(pepper, "hex"));
  const find = (secret: string) => admin.resolveAdminToken({ digest: digestOf(secret), previousDigests: [] });
  const expiresAtMs = BigInt(Date.now() + 600_000);
  const { secret } = await admin.createAdminToken({ name: "t", actor, role: AdminRole.KEYS, accountId, expiresAtMs });
  const found = await find(secret);
  assert.deepEqual([found.role, found.accountId, found.expiresAtMs], [AdminRole.KEYS, accountId, expiresAtMs]);
  assert.equal((await find((await admin.createAdminToken({ name: "o", actor })).secret)).role, AdminRole.OPERATOR);
  await db.tamper("admin_tokens", { name: "t" }, { $set: { expiresAt: new Date(Date.now() - 1) } });
  await assert.rejects(find(secret), refused("not_found"));
  await assert.rejects(admin.createAdminToken({ name: "t", actor, expiresAtMs: 5n }), refused("invalid_request"));
  await assert.rejects(admin.createAdminToken({ name: "t", actor, accountId: "nobody" }), refused("not_found"));
  const [row] = (await admin.listAuditRecords({ ...everything, action: "admin_token.create" })).records.slice(-1);
  assert.equal(JSON.parse(row?.after ?? "").role, "keys");
});
