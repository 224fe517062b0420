import assert from "node:assert/strict";
import { after, test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { catalogChanged, catalogChangedSubject } from "@uag/contract/messages/billing";
import { engineUrl } from "@uag/harness/engine-url";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import {
  type CatalogServiceServer,
  CatalogServiceService,
  type CreateCredentialRequest,
} from "@uag/proto/billing/v1/catalog.ts";
import { connectBus } from "@uag/runtime/bus";
import { createLogger } from "@uag/runtime/log";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { createConnection } from "mongoose";
import { catalogFile, type Scratch, scratch, spawnBilling, startBilling } from "./harness.ts";

const actor = { id: "admtok_x", name: "Ada", requestId: "req_1" };
const key = "5b".repeat(32);
const newKey = "5c".repeat(32);
const secret = "sk-a-secret-of-a-provider-wxyz";
const catalogue = `
providers:
  acme: {protocol: openai, base_url: "\${ACME_BASE_URL:-https://api.acme.com/v1}", api_key: "\${ACME_API_KEY}"}
models:
  - {id: m, owned_by: test, created: 1700000000, operations: [chat.completions], context_tokens: 1000,
     max_output_tokens: 100, price: {input_tokens: 1, output_tokens: 4}, upstreams: [{provider: acme}]}
`;

const file = await catalogFile(catalogue);
after(() => file[Symbol.asyncDispose]());

type Catalog = RpcClient<CatalogServiceServer>;
const clientOf = (port: number): Catalog =>
  createRpcClient<CatalogServiceServer>(CatalogServiceService, `127.0.0.1:${port}`, insecure, { timeoutMs: 60_000 });

const credential = (more: Partial<CreateCredentialRequest> = {}): CreateCredentialRequest => ({
  provider: "acme",
  name: "",
  value: secret,
  enabled: true,
  share: undefined,
  actor,
  ...more,
});
const refusedFor =
  (param: string, code = "invalid_request") =>
  (error: unknown) =>
    (error as GatewayError).code === code && (error as GatewayError).param === param;
const providerIn = async (catalog: Catalog) => (await catalog.listProviders({})).providers[0];
const overlayIn = (catalog: Catalog) => catalog.getOverlay({ version: "" });

/** Everything in the database, as MongoDB has it. */
async function everythingIn({ env }: Scratch): Promise<string> {
  const connection = await createConnection(String(env["MONGODB_URL"]), {
    dbName: String(env["MONGODB_DATABASE"]),
  }).asPromise();
  const texts: string[] = [];
  for (const { name } of await connection.listCollections())
    for (const document of await connection.collection(name).find().toArray())
      texts.push(
        JSON.stringify(document, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
        ...Object.values(document).map((value: unknown) =>
          value !== null && typeof value === "object" && "buffer" in value
            ? Buffer.from(value.buffer as Uint8Array).toString("latin1")
            : "",
        ),
      );
  await connection.close();
  return texts.join("\n");
}

test("a stored credential is encrypted at rest, is in no response, log or audit row, and can be decrypted while its key is being rotated", async () => {
  await using db = scratch({ CATALOG_FILE: file.path, CREDENTIAL_KEY: key });
  {
    await using billing = await startBilling(db.env);
    using catalog = clientOf(billing.grpcPort);
    const created = await catalog.createCredential(credential({ name: "Production" }));
    assert.equal(created.hint, "sk-...wxyz");
    const listed = await providerIn(catalog);
    assert.equal(listed?.baseUrl, "https://api.acme.com/v1");
    assert.deepEqual(listed?.credentials, [created]);
    using admin = createRpcClient<AdminServiceServer>(AdminServiceService, `127.0.0.1:${billing.grpcPort}`, insecure);
    const filter = { accountId: "", targetId: created.id, action: "credential.create", page: undefined };
    const [row] = (await admin.listAuditRecords(filter)).records;
    assert.deepEqual(JSON.parse(row?.after ?? ""), {
      provider: "acme",
      name: "Production",
      hint: "sk-...wxyz",
      enabled: true,
      weight: 1,
      priority: 0,
      account: "",
      dailyCapUsd: 0,
      monthlyCapUsd: 0,
    });
    assert.equal((await overlayIn(catalog)).credentials[0]?.value, secret);
    const stored = await everythingIn(db);
    assert.ok(stored.includes(created.id));
    assert.ok(!stored.includes(secret));
    assert.ok(!stored.includes("secret-of-a-provider"));
  }
  const rotated = { CREDENTIAL_KEY: newKey, CREDENTIAL_KEY_PREVIOUS: key };
  for (const env of [rotated, { CREDENTIAL_KEY: newKey, CREDENTIAL_KEY_PREVIOUS: "" }]) {
    await using billing = await startBilling({ ...db.env, ...env });
    using catalog = clientOf(billing.grpcPort);
    assert.equal((await overlayIn(catalog)).credentials[0]?.value, secret);
  }
  await assert.rejects(startBilling({ ...db.env, CREDENTIAL_KEY: key }), /CREDENTIAL_KEY does not open the credential/);
});

test("a change that would be invalid is refused with its field, and changes nothing", async () => {
  await using db = scratch({ CATALOG_FILE: file.path, CREDENTIAL_KEY: key, EGRESS_ALLOW: "127.0.0.1:8443" });
  await using billing = await startBilling(db.env);
  using catalog = clientOf(billing.grpcPort);
  const create = (more: Partial<CreateCredentialRequest>) => catalog.createCredential(credential(more));
  const address = (baseUrl: string) => create({ baseUrl, providerRevision: 0n });
  for (const url of [
    "http://api.acme.com",
    "https://10.0.0.1/v1",
    "https://x.com/?a",
    "https://x.com/\u0024{HOME}",
    "nothing",
  ])
    await assert.rejects(address(url), refusedFor("base_url"), url);
  await assert.rejects(create({ baseUrl: "https://x.com" }), refusedFor("revision"));
  await assert.rejects(create({ provider: "nobody" }), refusedFor("id", "not_found"));
  await assert.rejects(create({ value: "two words" }), refusedFor("api_key"));
  const { value: _, ...without } = credential();
  await assert.rejects(catalog.createCredential(without), refusedFor("api_key"));
  await assert.rejects(catalog.createCredential({ ...without, variable: "KEY_PEPPER" }), refusedFor("variable"));
  const moved = { name: "acme", revision: 0n, baseUrl: "https://x.com", fields: "", actor };
  await assert.rejects(catalog.updateProvider(moved), refusedFor("base_url"), "the file's key stays with its address");
  assert.equal((await overlayIn(catalog)).overlayVersion, 0n);

  await address("http://127.0.0.1:8443/v1");
  const provider = await providerIn(catalog);
  assert.equal(provider?.baseUrl, "http://127.0.0.1:8443/v1");
  assert.equal(provider?.baseUrlChanged, true);
  assert.equal(provider?.revision, 1n);
});

test("without CREDENTIAL_KEY no key can be stored, and a variable of the services can be named", async () => {
  await using db = scratch({ CATALOG_FILE: file.path });
  await using billing = await startBilling(db.env);
  using catalog = clientOf(billing.grpcPort);
  await assert.rejects(
    catalog.createCredential(credential()),
    (error: unknown) => (error as GatewayError).code === "service_unavailable",
  );
  const { value: _, ...without } = credential();
  await catalog.createCredential({ ...without, variable: "PROVIDER_SECRET_ACME" });
  assert.equal((await overlayIn(catalog)).credentials[0]?.reference, "\u0024{PROVIDER_SECRET_ACME}");
});

test("of two operators who change the same provider at once one is refused, and each change is announced with its version", async () => {
  await using db = scratch({ CATALOG_FILE: file.path, CREDENTIAL_KEY: key });
  await using one = await startBilling(db.env);
  await using two = await startBilling(db.env);
  using first = clientOf(one.grpcPort);
  using second = clientOf(two.grpcPort);
  const log = createLogger({ service: "test", level: "silent" });
  await using bus = await connectBus({ settings: { NATS_URL: engineUrl("TEST_NATS_URL") }, name: "test", log });
  const announced: (number | undefined)[] = [];
  bus.subscribe(catalogChangedSubject, (data) => announced.push(catalogChanged.decode(data)?.version));
  await bus.connection.flush();
  for (const revision of [0n, 1n, 2n]) {
    const change = { name: "acme", revision, enabled: revision !== 0n, fields: "", actor };
    const racing = await Promise.allSettled([first.updateProvider(change), second.updateProvider(change)]);
    const refused = racing.filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 1, JSON.stringify(racing.map(({ status }) => status)));
    assert.ok(refusedFor("revision", "already_exists")((refused[0] as PromiseRejectedResult).reason));
  }
  assert.equal((await overlayIn(first)).overlayVersion, 3n);
  assert.equal((await overlayIn(second)).overlayVersion, 3n);
  await waitFor(() => [1, 2, 3].every((version) => announced.includes(version)), { what: "the announcements" });
});

test("a change is atomic when billing is killed: the change, its version and its audit row are written, or none of them", async () => {
  await using db = scratch({ CATALOG_FILE: file.path, CREDENTIAL_KEY: key });
  await using billing = await spawnBilling(db.env);
  using catalog = clientOf(billing.port);
  using admin = createRpcClient<AdminServiceServer>(AdminServiceService, `127.0.0.1:${billing.port}`, insecure);
  const made = new Set<string>();
  /** Adds credentials until one is confirmed; billing is unavailable while it starts. */
  const add = async (): Promise<void> => {
    const created = await waitFor(
      () =>
        catalog.createCredential(credential()).catch((error: unknown) => {
          assert.equal((error as GatewayError).code, "service_unavailable");
          return undefined;
        }),
      { what: "a credential" },
    );
    made.add(created.id);
  };
  for (let kills = 1; kills <= 2; kills++) {
    const adding = [add(), add()];
    await Promise.race(adding);
    await billing.restart();
    await Promise.all(adding);
    assert.equal(made.size, 2 * kills);
  }
  const { overlayVersion, credentials } = await overlayIn(catalog);
  assert.ok(
    [...made].every((id) => credentials.some((each) => each.id === id)),
    "no confirmed change is lost",
  );
  assert.equal(Number(overlayVersion), credentials.length);
  const filter = { accountId: "", targetId: "", action: "credential.create", page: undefined };
  const { records } = await admin.listAuditRecords(filter);
  assert.deepEqual(records.map(({ targetId }) => targetId).sort(), credentials.map(({ id }) => id).sort());
});

test("new requests use all enabled credentials, the newest first; disabled ones stay for tasks until they are deleted", async () => {
  await using db = scratch({ CATALOG_FILE: file.path, CREDENTIAL_KEY: key });
  await using billing = await startBilling(db.env);
  using catalog = clientOf(billing.grpcPort);
  const inForce = async () => {
    const { overlayVersion, providers, credentials } = await overlayIn(catalog);
    const overlay = {
      version: Number(overlayVersion),
      models: [],
      providers: providers.map(({ fields, ...same }) => ({ ...same, fields: JSON.parse(fields) as object })),
      credentials: credentials.map(({ value = "", share, ...same }) => ({ ...same, ...share, secret: { value } })),
    };
    const env = { ACME_API_KEY: "simulator", ACME_BASE_URL: "http://127.0.0.1:1/sim", SIMULATED_PROVIDERS: "acme" };
    return parseCatalog(catalogue, env, { overlay: overlay as never });
  };
  const acme = async () => (await inForce()).providers.get("acme");
  assert.deepEqual([(await acme())?.simulated, (await acme())?.origin], [true, "http://127.0.0.1:1"]);
  const first = await catalog.createCredential(credential({ value: "sk-first" }));
  assert.deepEqual(
    [(await acme())?.simulated, (await acme())?.origin, (await acme())?.apiKey],
    [false, "https://api.acme.com", "sk-first"],
  );
  assert.equal((await acme())?.accesses.get("")?.origin, "http://127.0.0.1:1", "for tasks of the simulator");
  const second = await catalog.createCredential(credential({ value: "sk-second" }));
  assert.equal((await acme())?.apiKey, "sk-second");
  const inUse = async () => (await acme())?.inUse.map(({ id, name, weight }) => ({ id, name, weight }));
  const [own, other] = [
    { id: first.id, name: "...", weight: 1 },
    { id: second.id, name: "...", weight: 3 },
  ];
  const change = { provider: "acme", share: undefined, actor };
  await catalog.updateCredential({ ...change, id: second.id, revision: 1n, share: { weight: 3 } });
  assert.deepEqual(await inUse(), [other, own]);
  await catalog.updateCredential({ ...change, id: first.id, revision: 1n, share: { priority: 1 } });
  await catalog.updateCredential({
    ...change,
    id: second.id,
    revision: 2n,
    share: { priority: 2, account: "a", dailyCapUsd: 5 },
  });
  assert.deepEqual(await inUse(), [own, other], "the lowest priority number goes first");
  const sharing = { weight: 3, priority: 2, account: "a", dailyCapUsd: 5, monthlyCapUsd: 0 };
  assert.deepEqual((await providerIn(catalog))?.credentials.at(-1)?.share, sharing);
  const bad = { ...change, id: first.id, revision: 2n };
  await assert.rejects(catalog.updateCredential({ ...bad, share: { weight: -1 } }), refusedFor("weight"));
  const badCap = { ...bad, share: { monthlyCapUsd: -1 } };
  await assert.rejects(catalog.updateCredential(badCap), refusedFor("monthly_cap_usd"));
  await catalog.updateCredential({ ...change, id: second.id, revision: 3n, enabled: false });
  assert.deepEqual(await inUse(), [own]);
  assert.equal((await acme())?.apiKey, "sk-first");
  assert.equal((await acme())?.accesses.get(second.id)?.apiKey, "sk-second");
  for (const { id } of [first, second]) await catalog.deleteCredential({ ...change, id });
  assert.equal((await acme())?.simulated, true);
  await catalog.updateProvider({ name: "acme", revision: 0n, enabled: false, fields: "", actor });
  assert.equal((await inForce()).models.size, 0, "a disabled provider gets no new requests");
  assert.equal((await acme())?.enabled, false, "and its tasks are still polled");
});
