import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startService } from "@uag/billing/service";
import { freePort } from "@uag/harness/testing/free-port";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import { type GrantServiceServer, GrantServiceService } from "@uag/proto/billing/v1/grants.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { MongoClient } from "mongodb";
import { findMongod } from "../src/engines/find.ts";
import { atlasAccess, mongoshScript } from "../src/engines/mongo-access-files.ts";
import { mongoAccess, ownRoles, putUsers } from "../src/engines/mongo-users.ts";
import { binDir, repoRoot } from "../src/paths.ts";

const database = "billing";
const rootPassword = "root-password";
const billingPassword = "billing-password";

/** A mongod with authentication; returns the URL for a user. */
async function startGuardedMongod(
  resources: AsyncDisposableStack,
): Promise<(user: string, password: string) => string> {
  const dir = await mkdtemp(join(tmpdir(), "guarded-"));
  resources.defer(() => rm(dir, { recursive: true, force: true }));
  const keyFile = join(dir, "key");
  await writeFile(keyFile, "aKeyForOneMember", { mode: 0o600 });
  const engine = await findMongod({ binDir });
  const port = await freePort();
  const args = ["--replSet", "rs0", "--bind_ip", "127.0.0.1", "--port", String(port), "--dbpath", dir, "--quiet"];
  args.push("--auth", "--keyFile", keyFile, "--nounixsocket", "--wiredTigerCacheSizeGB", "0.25");
  const mongod = spawn(engine.path, args, { env: { ...process.env, ...engine.env }, stdio: "ignore" });
  resources.defer(async () => {
    mongod.kill("SIGKILL");
    if (mongod.exitCode === null && mongod.signalCode === null) await once(mongod, "exit");
  });
  // While there is no user, a client on the same machine may create the first one.
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`);
  const admin = client.db("admin");
  const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
  await waitFor(
    () =>
      admin
        .command({ replSetInitiate: { _id: "rs0", members } })
        .then(() => true)
        .catch(() => false),
    {
      timeoutMs: 60_000,
    },
  );
  await waitFor(async () => (await admin.command({ hello: 1 }))["isWritablePrimary"] === true);
  await admin.command({ createUser: "root", pwd: rootPassword, roles: ["root"] });
  await client.close();
  return (user, password) => {
    return `mongodb://${user}:${password}@127.0.0.1:${port}/?replicaSet=rs0&authSource=admin`;
  };
}

test("billing's database role allows all its work, but neither changes nor deletes of ledger and audit log rows", async () => {
  await using resources = new AsyncDisposableStack();
  const urlOf = await startGuardedMongod(resources);
  const passwords = join(await mkdtemp(join(tmpdir(), "passwords-")), "passwords.json");
  resources.defer(() => rm(dirname(passwords), { recursive: true }));
  const runCommand = async (): Promise<string> => {
    const env = { ...process.env, ADMIN_MONGODB_URL: urlOf("root", rootPassword), PASSWORDS: passwords };
    const command = join(repoRoot, "services/dev/local/src/engines/put-mongo-users.ts");
    return (await promisify(execFile)(process.execPath, [command], { env })).stdout;
  };
  assert.match(await runCommand(), /All users have their roles/, "without passwords it creates no user");
  await writeFile(passwords, JSON.stringify({ billing: billingPassword }));
  assert.match(await runCommand(), /updated: billing$/m);
  const root = new MongoClient(urlOf("root", rootPassword));
  resources.defer(() => root.close());
  await root.db("admin").command({ revokeRolesFromUser: "billing", roles: [{ role: "read", db: "audit" }] });
  await rm(passwords);
  assert.match(await runCommand(), /updated: billing$/m, "it returns a missing role, and needs no password for that");
  const { users } = await root.db("admin").command({ usersInfo: "billing" });
  assert.deepEqual(users[0].roles.map(({ role }: { role: string }) => role).sort(), ["billing_append_only", "read"]);
  const url = urlOf("billing", billingPassword);
  const billing = resources.use(
    await startService({
      MONGODB_URL: url,
      NATS_URL: process.env["TEST_NATS_URL"],
      KEY_PEPPER: "5a".repeat(32),
      LOG_LEVEL: "silent",
      TLS: "off",
      ADMIN_TOKEN: "a-token-that-is-long-enough",
    }),
  );
  const address = `127.0.0.1:${billing.grpcPort}`;
  const accounts = resources.use(createRpcClient<AccountServiceServer>(AccountServiceService, address, insecure));
  const admin = resources.use(createRpcClient<AdminServiceServer>(AdminServiceService, address, insecure));
  const grants = resources.use(createRpcClient<GrantServiceServer>(GrantServiceService, address, insecure));
  const ledger = resources.use(createRpcClient<LedgerServiceServer>(LedgerServiceService, address, insecure));
  await accounts.createAccount({ id: "acme", name: "" });
  await accounts.topUp({ accountId: "acme", amountNanoUsd: 100n, reference: "r", note: "" });
  await admin.updateAccount({ id: "acme", name: "Acme", actor: undefined });
  await grants.heartbeat({ holderId: "h", service: "chat" });
  const need = { needNanoUsd: 10n, wantNanoUsd: 10n, requestId: "a1", taskUntilMs: 0n, keyId: "", budgetIds: [] };
  assert.equal((await grants.acquire({ holderId: "h", accountId: "acme", ...need })).insufficient, false);
  await grants.closeHolder({ holderId: "h" });
  assert.deepEqual((await ledger.audit({}, { timeoutMs: 20_000 })).violations, []);

  const client = new MongoClient(url);
  resources.defer(() => client.close());
  const forbidden = (error: unknown) => (error as { codeName?: string }).codeName === "Unauthorized";
  for (const name of ["ledger", "audit_log"]) {
    const rows = client.db(database).collection(name);
    assert.ok((await rows.countDocuments()) > 0, name);
    await assert.rejects(rows.updateOne({}, { $set: { note: "changed" } }), forbidden, name);
    await assert.rejects(rows.findOneAndReplace({}, {}), forbidden, name);
    await assert.rejects(rows.deleteMany({}), forbidden, name);
    await assert.rejects(rows.drop(), forbidden, name);
    await assert.rejects(rows.rename("elsewhere"), forbidden, name);
  }
  await assert.rejects(client.db(database).dropDatabase(), forbidden);
});

/** Every role and user of the services, as MongoDB lists them. */
async function accessIn(client: MongoClient): Promise<unknown> {
  const { users } = await client.db("admin").command({ usersInfo: 1 });
  const roles = await Promise.all(
    ownRoles.map(async ({ db, name }) => {
      const info = await client.db(db).command({ rolesInfo: name, showPrivileges: true });
      return info["roles"].map(({ role, privileges }: { role: string; privileges: unknown }) => ({ role, privileges }));
    }),
  );
  const shown = users
    .filter(({ user }: { user: string }) => user !== "root")
    .map(({ user, roles: own }: { user: string; roles: { db: string; role: string }[] }) => ({
      user,
      roles: own.map(({ db, role }) => `${db}.${role}`).sort(),
    }));
  return { roles: roles.flat(), users: shown };
}

test("the script for mongosh creates and updates the same roles and users as the command", async () => {
  await using resources = new AsyncDisposableStack();
  const urlOf = await startGuardedMongod(resources);
  const client = new MongoClient(urlOf("root", rootPassword));
  resources.defer(() => client.close());
  const passwordOf = (user: string): string | undefined => (user === "operator" ? undefined : `${user}-has-a-password`);
  // mongosh has these two methods; everything that the script sends is a command.
  const db = {
    getSiblingDB: (name: string) => ({ runCommand: (command: object) => client.db(name).command(command) }),
  };
  const run = new Function("db", "passwordOf", `return (async () => {${mongoshScript()}})()`);
  await run(db, passwordOf);
  const byScript = await accessIn(client);
  await client.db("billing").command({ updateRole: "billing_append_only", privileges: [], roles: [] });
  await client.db("admin").command({ revokeRolesFromUser: "billing", roles: [{ role: "read", db: "audit" }] });
  assert.notDeepEqual(await accessIn(client), byScript);
  await run(db, () => assert.fail("it asks for no password of an existing user"));
  assert.deepEqual(await accessIn(client), byScript, "the script returns what was taken");
  const signedIn = new MongoClient(urlOf("metering", "metering-has-a-password"));
  resources.defer(() => signedIn.close());
  await signedIn.db("metering").collection("events").insertOne({ a: 1 });
  assert.deepEqual(await putUsers(client, passwordOf), [], "the command has nothing left to change");
  assert.deepEqual(await accessIn(client), byScript);
});

test("the bodies for Atlas give each user the same access, with roles in admin and actions as Atlas names them", () => {
  const { roles, users } = atlasAccess() as {
    roles: { roleName: string; actions: { action: string; resources: { db: string; collection: string }[] }[] }[];
    users: { username: string; databaseName: string; roles: { roleName: string; databaseName: string }[] }[];
  };
  const original = new Map(ownRoles.map(({ name, privileges }) => [name, privileges]));
  assert.deepEqual(roles.map(({ roleName }) => roleName).sort(), [...original.keys()].sort());
  const rights = (pairs: readonly (readonly [string, { db: string; collection: string }])[]): string[] =>
    pairs
      .map(([action, { db, collection }]) => `${action.replaceAll("_", "").toLowerCase()} ${db}.${collection}`)
      .sort();
  for (const { roleName, actions } of roles) {
    const granted = actions.flatMap(({ action, resources }) => resources.map((one) => [action, one] as const));
    const wanted = original
      .get(roleName)
      ?.flatMap((one) => one.actions.map((action) => [action, one.resource] as const));
    assert.deepEqual(rights(granted), rights(wanted ?? []), roleName);
  }
  const names = roles.flatMap(({ actions }) => actions.map(({ action }) => action));
  const known =
    "FIND INSERT UPDATE REMOVE CREATE_COLLECTION CREATE_INDEX LIST_INDEXES LIST_COLLECTIONS COLL_STATS".split(" ");
  assert.deepEqual(
    names.filter((name) => !known.includes(name)),
    [],
  );
  for (const { username, roles: own } of users) {
    const access = mongoAccess[username as keyof typeof mongoAccess] ?? [];
    assert.deepEqual(
      own.map(({ roleName }) => roleName),
      access.map(({ role }) => role),
    );
    for (const { roleName, databaseName } of own)
      assert.equal(databaseName === "admin", original.has(roleName), username);
  }
  assert.ok(!users.some(({ username }) => username === "operator"));
});
