import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import {
  type CatalogServiceServer,
  CatalogServiceService,
  type CreateModelRequest,
  type CreateProviderRequest,
} from "@uag/proto/billing/v1/catalog.ts";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { createConnection } from "mongoose";
import { catalogFile, scratch, startBilling } from "./harness.ts";

const actor = { id: "admtok_x", name: "Ada", requestId: "req_1" };
const key = "5b".repeat(32);
const secret = "sk-a-secret-of-a-provider-wxyz";
const catalogue = `
providers:
  acme: {protocol: openai, base_url: "https://api.acme.com/v1", api_key: "\${ACME_API_KEY}", on_abort: stops}
models:
  - {id: m, owned_by: test, created: 1700000000, operations: [chat.completions], context_tokens: 1000,
     max_output_tokens: 100, price: {input_tokens: 1, output_tokens: 4}, upstreams: [{provider: acme}]}
`;

const file = await catalogFile(catalogue);
after(() => file[Symbol.asyncDispose]());

type Catalog = RpcClient<CatalogServiceServer>;
type Admin = RpcClient<AdminServiceServer>;

/** Billing over the catalogue, with clients of its own. */
async function open(env: NodeJS.ProcessEnv = {}) {
  const stack = new AsyncDisposableStack();
  const db = stack.use(
    scratch({ CATALOG_FILE: file.path, CREDENTIAL_KEY: key, EGRESS_ALLOW: "127.0.0.1:8000", ...env }),
  );
  const billing = stack.use(await startBilling(db.env));
  const at = `127.0.0.1:${billing.grpcPort}`;
  const catalog: Catalog = stack.use(createRpcClient<CatalogServiceServer>(CatalogServiceService, at, insecure));
  const admin: Admin = stack.use(createRpcClient<AdminServiceServer>(AdminServiceService, at, insecure));
  return { catalog, admin, db, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const provider = (more: Partial<CreateProviderRequest> & { set?: object } = {}): CreateProviderRequest => {
  const { set = { protocol: "openai", base_url: "https://llm.example.com/v1" }, ...rest } = more;
  return { name: "own", template: "", fields: JSON.stringify(set), enabled: true, actor, ...rest };
};
const row = {
  operations: ["chat.completions"],
  context_tokens: 8_000,
  max_output_tokens: 1_000,
  price: { input_tokens: 1, output_tokens: 2 },
  upstreams: [{ provider: "own", model: "large" }],
};
const model = (more: Partial<CreateModelRequest> & { set?: object } = {}): CreateModelRequest => {
  const { set = row, ...rest } = more;
  return { id: "vendor/large", like: "", fields: JSON.stringify(set), enabled: true, actor, ...rest };
};
const change = (id: string, revision: bigint, set: object, more: { enabled?: boolean } = {}) => ({
  id,
  revision,
  fields: JSON.stringify(set),
  actor,
  ...more,
});
const refusedFor =
  (param: string, code = "invalid_request") =>
  (error: unknown) =>
    (error as GatewayError).code === code && (error as GatewayError).param === param
      ? true
      : assert.fail(`${(error as GatewayError).code} ${(error as GatewayError).param}: ${(error as Error).message}`);
const overlayIn = (catalog: Catalog) => catalog.getOverlay({ version: "" });
const listed = async (admin: Admin, id: string) =>
  (await admin.listCatalogModels({})).models.find((each) => each.id === id);
const auditOf = async (admin: Admin, targetId: string) =>
  (await admin.listAuditRecords({ accountId: "", targetId, action: "", page: undefined })).records;

test("a provider and a model are added without a file; the overlay has the decrypted key, and the audit log has none", async () => {
  await using stage = await open();
  const { catalog, admin } = stage;
  await catalog.createProvider(provider({ value: secret }));
  await catalog.createModel(model());
  const overlay = await overlayIn(catalog);
  assert.equal(overlay.overlayVersion, 2n);
  assert.deepEqual(
    overlay.providers.map(({ name, added, enabled }) => [name, added, enabled]),
    [["own", true, true]],
  );
  assert.equal(overlay.credentials[0]?.value, secret);
  const [added] = overlay.models;
  assert.deepEqual([added?.id, added?.added], ["vendor/large", true]);
  const shown = (await catalog.listProviders({})).providers.find(({ name }) => name === "own");
  assert.deepEqual([shown?.added, shown?.models, shown?.credentials[0]?.hint], [true, ["vendor/large"], "sk-...wxyz"]);
  const entry = await listed(admin, "vendor/large");
  assert.deepEqual([entry?.added, entry?.enabled, entry?.changed, entry?.revision], [true, true, [], 1n]);
  const records = [...(await auditOf(admin, "own")), ...(await auditOf(admin, "vendor/large"))];
  assert.deepEqual(
    records.map(({ action, actor: by }) => `${action} ${by?.name}`),
    ["provider.create Ada", "model.create Ada"],
  );
  assert.ok(records.every(({ after }) => after !== "" && !after.includes(secret)));
});

test("a provider with a template, address or setting that may not be used is rejected, naming the field", async () => {
  await using stage = await open();
  const { catalog } = stage;
  const set = { protocol: "openai", base_url: "https://llm.example.com/v1" };
  for (const [request, param, code] of [
    [{ name: "Own" }, "id"],
    [{ name: "acme" }, "id", "already_exists"],
    [{ template: "nothing" }, "template"],
    [{ set: { base_url: set.base_url } }, "protocol"],
    [{ set: { protocol: "openai" } }, "base_url"],
    [{ set: { ...set, protocol: "smtp" } }, "protocol"],
    [{ set: { ...set, base_url: "http://10.0.0.1/v1" } }, "base_url"],
    [{ set: { ...set, base_url: "https://x.com/\u0024{ACME_API_KEY}" } }, "base_url"],
    [{ set: { ...set, headers: { authorization: "\u0024{ACME_API_KEY}" } } }, "headers"],
    [{ set: { ...set, proxy: "http://10.0.0.1" } }, "proxy"],
    [{ set: { ...set, tls: { key_file: "/etc/key" } } }, "tls"],
    [{ set: { ...set, on_abort: "waits" } }, "on_abort"],
    [{ value: "two words" }, "api_key"],
    [{ variable: "KEY_PEPPER" }, "variable"],
  ] as const)
    await assert.rejects(catalog.createProvider(provider(request)), refusedFor(param, code), param);
  assert.equal((await overlayIn(catalog)).overlayVersion, 0n);

  await catalog.createProvider(provider({ name: "like-acme", template: "acme", set: {} }));
  const fields = JSON.parse((await overlayIn(catalog)).providers[0]?.fields ?? "");
  assert.deepEqual([fields.base_url, fields.on_abort, fields.api_key], ["https://api.acme.com/v1", "stops", ""]);
  await catalog.createProvider(provider({ name: "gpu", template: "vllm", set: {} }));
  const { templates } = await catalog.listTemplates({});
  assert.ok(["acme", "openrouter", "openai-compatible"].every((id) => templates.some(({ name }) => name === id)));
});

test("a model that breaks the file's rules is rejected, naming the field, and no model without a price is served", async () => {
  await using stage = await open();
  const { catalog } = stage;
  await catalog.createProvider(provider());
  const { price: _, ...unpriced } = row;
  for (const [request, param, code] of [
    [{ set: unpriced }, "price"],
    [{ set: { ...row, price: {} } }, "price"],
    [{ set: { ...row, price: { input_tokens: 1, output_tokens: -2 } } }, "price.output_tokens"],
    [{ set: { ...row, price: { ...row.price, seconds: 2 } } }, "price"],
    [{ set: { ...row, upstreams: [{ provider: "nobody" }] } }, "upstreams"],
    [{ set: { ...row, upstreams: [] } }, "upstreams"],
    [{ set: { ...row, max_output_tokens: undefined } }, "max_output_tokens"],
    [{ set: { ...row, operations: ["chat"] } }, "operations.0"],
    [{ id: "m" }, "id", "already_exists"],
    [{ id: "Upper" }, "id"],
    [{ like: "nothing" }, "like"],
  ] as const)
    await assert.rejects(catalog.createModel(model(request)), refusedFor(param, code), JSON.stringify(request));
  assert.equal((await overlayIn(catalog)).models.length, 0);
});

test("a model created like another copies its fields and current price, and has its own upstream", async () => {
  await using stage = await open();
  const { catalog, admin } = stage;
  await catalog.createProvider(provider());
  await catalog.createModel(model({ id: "fast", like: "m", set: {} }));
  await catalog.createModel(model({ id: "own/m", like: "m", set: { upstreams: [{ provider: "own" }] } }));
  const [m, fast, own] = await Promise.all(["m", "fast", "own/m"].map((id) => listed(admin, id)));
  assert.equal(fast?.priceVersion, m?.priceVersion);
  assert.deepEqual(
    [fast, own].map((each) => each?.upstreams.map((upstream) => `${upstream.provider} ${upstream.model}`)),
    [["acme m"], ["own own/m"]],
  );
});

test("each changed price is a version, which a model keeps when it is deleted and added again", async () => {
  await using stage = await open();
  const { catalog, admin } = stage;
  await catalog.createProvider(provider());
  await catalog.createModel(model());
  const listedWith = await listed(admin, "vendor/large");
  await catalog.updateModel(change("vendor/large", 1n, { price: { input_tokens: 2, output_tokens: 3 } }));
  const changed = await listed(admin, "vendor/large");
  assert.notEqual(changed?.priceVersion, listedWith?.priceVersion);
  await catalog.updateModel(change("vendor/large", 2n, { price: { input_tokens: 2, output_tokens: 3 } }));
  assert.equal((await listed(admin, "vendor/large"))?.priceVersion, changed?.priceVersion, "the same price again");
  assert.equal((await overlayIn(catalog)).acceptedPrices.length, 1);
  const actions = (await auditOf(admin, "vendor/large")).map(({ action }) => action).sort();
  assert.deepEqual(actions, ["model.create", "model.update", "model.update", "price.accept"]);

  await catalog.deleteModel({ id: "vendor/large", actor });
  assert.equal(await listed(admin, "vendor/large"), undefined);
  await catalog.createModel(model({ set: { ...row, price: { input_tokens: 9, output_tokens: 9 } } }));
  const again = await listed(admin, "vendor/large");
  assert.match(again?.entry ?? "", /"input_tokens":9/);
  const { acceptedPrices } = await overlayIn(catalog);
  assert.equal(acceptedPrices.length, 2, "the earlier price is still there for its receipts");
});

test("a model of the catalogue's file can be disabled and changed by field; changed fields are marked, and null restores the file's value", async () => {
  await using stage = await open();
  const { catalog, admin } = stage;
  await catalog.updateModel(change("m", 0n, { display_name: "M", max_output_tokens: 50 }));
  const changed = await listed(admin, "m");
  assert.deepEqual(
    [changed?.added, changed?.changed, changed?.revision],
    [false, ["display_name", "max_output_tokens"], 1n],
  );
  assert.match(changed?.entry ?? "", /"max_output_tokens":50/);
  await assert.rejects(catalog.updateModel(change("m", 0n, {})), refusedFor("revision", "already_exists"));
  await assert.rejects(catalog.updateModel(change("m", 1n, { id: "n" })), refusedFor("id"));
  await assert.rejects(catalog.updateModel(change("m", 1n, { price: null })), refusedFor("price"));
  await assert.rejects(catalog.updateModel(change("nothing", 0n, {})), refusedFor("id", "not_found"));
  await catalog.updateModel(change("m", 1n, { display_name: null, max_output_tokens: null }, { enabled: false }));
  const restored = await listed(admin, "m");
  assert.deepEqual([restored?.changed, restored?.enabled], [[], false]);
  await assert.rejects(catalog.deleteModel({ id: "m", actor }), refusedFor("id"));
  await assert.rejects(catalog.deleteModel({ id: "nothing", actor }), refusedFor("id", "not_found"));
});

test("fallbacks of a model are listed, must exist, and keep the model that they name from being deleted", async () => {
  await using stage = await open();
  const { catalog, admin } = stage;
  await catalog.createModel(model({ id: "n", like: "m", set: {} }));
  for (const fallbacks of [["nothing"], ["m"]])
    await assert.rejects(catalog.updateModel(change("m", 0n, { fallbacks })), refusedFor("fallbacks"));
  await catalog.updateModel(change("m", 0n, { fallbacks: ["n"] }));
  const found = await listed(admin, "m");
  assert.deepEqual([found?.strategy, found?.fallbacks, found?.changed], ["priority", ["n"], ["fallbacks"]]);
  await assert.rejects(catalog.deleteModel({ id: "n", actor }), refusedFor("id"));
  await catalog.updateModel(change("m", 1n, { fallbacks: null }));
  await catalog.deleteModel({ id: "n", actor });
  assert.deepEqual((await listed(admin, "m"))?.fallbacks, []);
});

test("what the operator pays at a model's provider can be set and removed, and must be in units of the model's price", async () => {
  await using stage = await open();
  const { catalog, admin } = stage;
  const [own = assert.fail("the model has no provider")] = (await listed(admin, "m"))?.upstreams ?? [];
  const upstreams = (cost: unknown) => [{ provider: own.provider, model: own.model, cost }];
  const refused = [{ images: 1 }, { input_tokens: -1 }, { input_token: 1 }, { input_tokens: 0.1234567891 }];
  for (const cost of refused)
    await assert.rejects(catalog.updateModel(change("m", 0n, { upstreams: upstreams(cost) })), /upstreams/);
  await catalog.updateModel(change("m", 0n, { strategy: "least_cost", upstreams: upstreams({ output_tokens: 1.5 }) }));
  const set = await listed(admin, "m");
  assert.deepEqual([set?.strategy, set?.upstreams[0]?.cost], ["least_cost", '{"output_tokens":1.5}']);
  await catalog.updateModel(change("m", 1n, { strategy: null, upstreams: null }));
  assert.deepEqual([own.cost, (await listed(admin, "m"))?.upstreams[0]?.cost], ["", ""]);
});

test("a model's other names are refused where another model has them, and are not copied to a model that is like it", async () => {
  await using stage = await open();
  const { catalog, admin } = stage;
  await catalog.updateModel(change("m", 0n, { aliases: ["fast"] }));
  await catalog.createModel(model({ id: "n", like: "m", set: {} }));
  const entryOf = async (id: string) => JSON.parse((await listed(admin, id))?.entry ?? "{}") as { aliases?: string[] };
  assert.deepEqual([(await entryOf("m")).aliases, (await entryOf("n")).aliases], [["fast"], undefined]);
  for (const taken of ["fast", "m"])
    await assert.rejects(catalog.updateModel(change("n", 1n, { aliases: [taken] })), refusedFor("aliases"), taken);
  await assert.rejects(catalog.createModel(model({ id: "fast", like: "m", set: {} })), refusedFor("id"));
  await catalog.updateModel(change("m", 1n, { aliases: [] }));
  await catalog.updateModel(change("n", 1n, { aliases: ["fast"] }));
  assert.deepEqual((await entryOf("n")).aliases, ["fast"]);
});

test("a deleted provider drains: its own models are deleted, it accepts no new ones, and it remains until its tasks end", async () => {
  await using stage = await open();
  const { catalog, admin } = stage;
  await catalog.createProvider(provider({ value: secret }));
  await catalog.createModel(model());
  const both = [{ provider: "own" }, { provider: "acme" }];
  await catalog.createModel(model({ id: "shared", set: { ...row, upstreams: both } }));
  await assert.rejects(catalog.deleteProvider({ name: "own", actor }), refusedFor("id"), "another provider serves one");
  await assert.rejects(catalog.deleteProvider({ name: "acme", actor }), refusedFor("id"), "the file has it");
  await catalog.updateModel(change("shared", 1n, { upstreams: [{ provider: "acme" }] }));
  await catalog.deleteProvider({ name: "own", actor });

  const overlay = await overlayIn(catalog);
  assert.deepEqual([overlay.providers[0]?.enabled, overlay.credentials[0]?.value], [false, secret]);
  assert.deepEqual([await listed(admin, "vendor/large"), (await listed(admin, "shared"))?.id], [undefined, "shared"]);
  const drained = (await catalog.listProviders({})).providers.find(({ name }) => name === "own");
  assert.equal(drained?.draining, true);
  await assert.rejects(catalog.createModel(model()), refusedFor("upstreams"));
  const enable = { name: "own", revision: drained?.revision ?? 0n, enabled: true, fields: "", actor };
  await assert.rejects(catalog.updateProvider(enable), refusedFor("id", "not_found"));
  await assert.rejects(catalog.deleteProvider({ name: "own", actor }), refusedFor("id", "not_found"));
});

test("a provider that drains can be added again: its earlier key stays for tasks, and only the new one is used", async () => {
  await using stage = await open();
  const { catalog } = stage;
  await catalog.createProvider(provider({ value: secret }));
  await assert.rejects(catalog.createProvider(provider()), refusedFor("id", "already_exists"));
  await catalog.deleteProvider({ name: "own", actor });
  await catalog.createProvider(provider({ value: "sk-the-new-key-of-the-provider" }));
  const { credentials, providers } = await overlayIn(catalog);
  assert.deepEqual(
    credentials.map(({ value, enabled }) => [value, enabled]),
    [
      [secret, false],
      ["sk-the-new-key-of-the-provider", true],
    ],
  );
  assert.equal(providers[0]?.enabled, true);
  await catalog.deleteProvider({ name: "own", actor });
  await catalog.createProvider(provider());
  assert.deepEqual((await overlayIn(catalog)).credentials, [], "without a key none of the earlier ones is used");
  await catalog.createModel(model());
});

test("a drained provider and its credentials are deleted a week later, and not before", async () => {
  await using stage = await open({ PRUNE_INTERVAL_MS: "1000" });
  const { catalog, admin, db } = stage;
  for (const name of ["own", "recent"]) {
    await catalog.createProvider(provider({ name, value: secret }));
    await catalog.deleteProvider({ name, actor });
  }
  const [url, dbName] = [String(db.env["MONGODB_URL"]), String(db.env["MONGODB_DATABASE"])];
  const connection = await createConnection(url, { dbName }).asPromise();
  const weekAgo = new Date(Date.now() - 7 * 24 * 3_600_000 - 60_000);
  const providers = connection.collection("catalog_providers");
  await providers.updateOne({ _id: "own" as never }, { $set: { deletedAt: weekAgo } });
  await connection.close();
  const left = await waitFor(
    async () => {
      const overlay = await overlayIn(catalog);
      return overlay.providers.length === 1 ? overlay : undefined;
    },
    { what: "the deletion" },
  );
  assert.deepEqual([left.providers[0]?.name, left.credentials.map((each) => each.provider)], ["recent", ["recent"]]);
  assert.ok((await auditOf(admin, "own")).some(({ action }) => action === "provider.drained"));
  await catalog.createProvider(provider());
});
