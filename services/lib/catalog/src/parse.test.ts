import assert from "node:assert/strict";
import { test } from "node:test";
import { CatalogError } from "./catalog-error.ts";
import { modelEntries } from "./model-entry.ts";
import { mayUseModel, modelNamed, namesOf } from "./names.ts";
import type { OverlayEntry } from "./overlay.ts";
import { parseCatalog, readRows } from "./parse.ts";
import { openAiOptionNames } from "./protocols.ts";

const ref = (name: string): string => `\${${name}}`;

const provider = `
  acme:
    protocol: openai
    base_url: ${ref("ACME_URL:-https://api.acme.test/v1/")}
    api_key: ${ref("ACME_KEY")}
    free_fields: [turbo, output_config.turbo]
    headers: { X-Org: "${ref("ACME_ORG:-}").slice(0, -1)}", x-team: blue }
    timeouts: { connect: 250ms, first_byte: 30s, between_chunks: 2m, total: 1h }`;
const model = (fields = ""): string => `
  - id: acme-1
    owned_by: acme
    created: 2026-01-02
    operations: [chat.completions]
    context_tokens: 1000
    max_output_tokens: 100
    price: { input_tokens: 1, output_tokens: 2 }
    upstreams: [{ provider: acme }]${fields}`;
const yaml = (models: string, providers = provider): string => `providers:${providers}\nmodels:${models}\n`;
const env = { ACME_KEY: "secret" };

function faultOf(text: string): string {
  try {
    parseCatalog(text, env);
  } catch (error) {
    assert.ok(error instanceof CatalogError);
    return error.message;
  }
  return assert.fail("it was accepted");
}

test("parses a row into a model with its provider and defaults", () => {
  const catalog = parseCatalog(yaml(model()), env);
  const parsed = catalog.models.get("acme-1");
  assert.equal(parsed?.displayName, "acme-1");
  assert.equal(parsed?.created, Date.UTC(2026, 0, 2) / 1000);
  assert.equal(parsed?.reasoning, undefined);
  const upstream = parsed?.upstreams[0];
  assert.equal(upstream?.model, "acme-1");
  const access = {
    credential: { id: "", name: "...", weight: 1, priority: 0, account: "=", seed: upstream?.provider.credential.seed },
    simulated: false,
    origin: "https://api.acme.test",
    basePath: "/v1",
    apiKey: "secret",
    identity: undefined,
  };
  assert.deepEqual(upstream?.provider, {
    name: "acme",
    protocol: "openai",
    seed: upstream?.provider.seed,
    enabled: true,
    ...access,
    accesses: new Map([["", access]]),
    inUse: [access.credential],
    isCapped: false,
    headers: ["x-team", "blue"],
    timeouts: { connectMs: 250, firstByteMs: 30_000, betweenChunksMs: 120_000, totalMs: 3_600_000 },
    circuit: { failureShare: 0.5, minCalls: 20, windowMs: 30_000, openMs: 10_000, maxOpenMs: 60_000, probes: 3 },
    adaptiveConcurrency: undefined,
    transport: {
      id: "    4096 1024 false",
      proxy: undefined,
      caFile: undefined,
      certFile: undefined,
      keyFile: undefined,
      maxConnections: 4_096,
      maxQueued: 1_024,
      guarded: false,
    },
    onAbort: undefined,
    responsesApi: false,
    apiVersion: undefined,
    unsupportedFields: new Set(),
    cachesFromTokens: undefined,
    developerRole: true,
    openAiOptions: new Set(openAiOptionNames),
    freeFields: new Set(["turbo", "output_config.turbo"]),
  });
});

test("a model is served in the Responses API as its provider is, or as its own row says", () => {
  const has = provider.replace("protocol: openai", "protocol: openai\n    responses_api: true");
  const own = (providers: string, upstream: string) =>
    parseCatalog(
      yaml(model().replace("{ provider: acme }", `{ provider: acme${upstream} }`), providers),
      env,
    ).models.get("acme-1")?.upstreams[0]?.responsesApi;
  assert.deepEqual([own(provider, ""), own(has, ""), own(has, ", responses_api: false")], [false, true, false]);
  assert.equal(own(provider, ", responses_api: true"), true);
});

test("a base URL set by operators gets neither the file's key nor its headers, and is subject to the network guard", () => {
  const providers = [{ name: "acme", enabled: true, added: false, fields: { base_url: "https://elsewhere.test" } }];
  const secret = { value: ref("ACME_KEY") };
  const credentials = [
    { id: "c", provider: "acme", name: "", enabled: true, weight: 1, priority: 0, account: "", secret },
  ];
  const parsed = (more: object) =>
    parseCatalog(
      yaml(model()),
      { ...env, ACME_ORG: "o" },
      { overlay: { version: 1, providers, models: [], credentials: [], ...more } },
    );
  assert.deepEqual(parsed({}).unserved, ["acme: no credential is set"]);
  const { apiKey, origin, headers, transport } = parsed({ credentials }).providers.get("acme") ?? assert.fail();
  assert.deepEqual([apiKey, origin, headers], [secret.value, "https://elsewhere.test", ["x-team", "blue"]]);
  assert.equal(transport.guarded, true);
  const changed = [{ name: "acme", enabled: true, added: false, fields: { base_url: 7 } }];
  assert.throws(() => parsed({ providers: changed }), /providers\.acme\.base_url: /);
});

const added = (name: string, fields: object, enabled = true) => ({
  name,
  enabled,
  added: true,
  fields: fields as Record<string, unknown>,
});
const local = added("local", { protocol: "openai", base_url: "https://local.test/v1", api_key: "" });
const priced = {
  owned_by: "local",
  created: 1,
  operations: ["chat.completions"],
  context_tokens: 1_000,
  max_output_tokens: 100,
  price: { input_tokens: 1, output_tokens: 2 },
};
const localModel = added("vendor/m:1", { ...priced, id: "vendor/m:1", upstreams: [{ provider: "local", model: "m" }] });
const withEntries = (providers: readonly OverlayEntry[], models: readonly OverlayEntry[], more: object = {}) =>
  parseCatalog(yaml(model()), env, {
    overlay: { version: 1, providers, models, credentials: [], ...more },
  });

const second = model().replace("acme-1", "acme-2");

test("fallbacks must be other models of the catalogue, each once, of a model that generates text", () => {
  const parsed = parseCatalog(yaml(`${model("\n    fallbacks: [acme-2]")}${second}`), env);
  assert.deepEqual(parsed.models.get("acme-1")?.fallbacks, ["acme-2"]);
  assert.deepEqual(parsed.models.get("acme-2")?.fallbacks, []);
  for (const [fallbacks, fault] of [
    ["[acme-1]", "a model cannot be its own fallback"],
    ["[acme-2, acme-2]", "duplicate model acme-2"],
    ["[nothing]", "unknown model nothing"],
  ])
    assert.match(
      faultOf(yaml(`${model(`\n    fallbacks: ${fallbacks}`)}${second}`)),
      new RegExp(`models\\[acme-1\\]\\.fallbacks: ${fault}`),
    );
  const vectors = model("\n    fallbacks: [acme-2]")
    .replace("chat.completions", "embeddings")
    .replace("provider: acme }", "provider: acme, batch: { items: 1, tokens: 9 } }");
  assert.match(faultOf(yaml(`${vectors}${second}`)), /only a model that generates text can have fallbacks/);
});

test("a fallback that operators set is left out once its model is no longer in the file", () => {
  const change = { name: "acme-1", enabled: true, added: false, fields: { fallbacks: ["acme-2"] } };
  const overlay = { version: 1, providers: [], models: [change], credentials: [] };
  const fallbacks = (models: string) => parseCatalog(yaml(models), env, { overlay }).models.get("acme-1")?.fallbacks;
  assert.deepEqual(fallbacks(`${model()}${second}`), ["acme-2"]);
  assert.deepEqual(fallbacks(model()), []);
});

test("a provider and a model that operators added are served beside the file's, without a key until one is added", () => {
  const { models, providers } = withEntries([local], [localModel]);
  assert.deepEqual([...models.keys()], ["acme-1", "vendor/m:1"]);
  const { apiKey, origin, transport } = providers.get("local") ?? assert.fail();
  assert.deepEqual([apiKey, origin, transport.guarded], ["", "https://local.test", true]);
  const disabled = [{ id: "c", provider: "local", enabled: false, secret: { value: "k" } }];
  const without = withEntries([local], [localModel], { credentials: disabled });
  assert.deepEqual(without.unserved, ["local: no credential is set"], "a disabled key is not replaced by none");
});

test("a file's provider and model of the same name are replaced as a whole by those that operators added", () => {
  const own = { ...local, name: "acme" };
  const fields = { ...priced, id: "acme-1", display_name: "Ours", upstreams: [{ provider: "acme", model: "x" }] };
  const { models, providers } = withEntries([own], [added("acme-1", fields)]);
  assert.deepEqual([models.size, models.get("acme-1")?.displayName], [1, "Ours"]);
  assert.deepEqual([providers.get("acme")?.apiKey, providers.get("acme")?.origin], ["", "https://local.test"]);
});

test("a change of a file's model keeps its other fields, and a disabled model is not served", () => {
  const change = { name: "acme-1", enabled: true, added: false, fields: { display_name: "Ours" } };
  const { models } = withEntries([], [change]);
  assert.deepEqual([models.get("acme-1")?.displayName, models.get("acme-1")?.upstreams.length], ["Ours", 1]);
  const off = withEntries([], [{ ...change, enabled: false }]);
  assert.deepEqual([off.models.size, off.prices.has("acme-1")], [0, true]);
});

test("when a file loses a provider, models that operators added to it are left out, and the catalogue stays valid", () => {
  const gone = { ...localModel, fields: { ...localModel.fields, upstreams: [{ provider: "removed" }] } };
  const both = [{ provider: "removed" }, { provider: "acme" }];
  const shared = added("shared", { ...priced, id: "shared", upstreams: both });
  const { models } = withEntries([], [gone, shared, { name: "removed-1", enabled: true, added: false, fields: {} }]);
  assert.deepEqual([...models.keys()], ["acme-1", "shared"]);
  assert.equal(models.get("shared")?.upstreams.length, 1);
});

test("a model is found by each of its names, and a key may use it that may use one of them", () => {
  const named = { ...localModel, fields: { ...localModel.fields, aliases: ["fast", "own/fast"] } };
  const catalog = withEntries([local], [named]);
  const found = modelNamed(catalog, "fast") ?? assert.fail();
  assert.deepEqual(namesOf(found), ["vendor/m:1", "fast", "own/fast"]);
  assert.deepEqual([modelNamed(catalog, "vendor/m:1"), modelNamed(catalog, "slow")], [found, undefined]);
  const mayUse = [[], ["fast"], ["own/*"], ["vendor/m:1"], ["acme-1"]].map((models) =>
    mayUseModel({ models, levels: [] }, found),
  );
  assert.deepEqual(mayUse, [true, true, true, true, false]);
  const entries = modelEntries(found).map(({ id }) => id);
  assert.deepEqual(entries, ["vendor/m:1", "fast", "own/fast"]);
});

test("two models of a file cannot share a name, and an added model loses a name that the file also has", () => {
  const other = model("\n    aliases: [acme-1]").replace("id: acme-1", "id: acme-2");
  assert.match(faultOf(yaml(model() + other)), /models\[acme-2\]\.aliases: another model has the name acme-1/);
  const named = { ...localModel, fields: { ...localModel.fields, aliases: ["acme-1", "fast"] } };
  assert.deepEqual(withEntries([local], [named]).models.get("vendor/m:1")?.aliases, ["fast"]);
});

test("an added model must follow the file's rules, and its error names the field", () => {
  const { price: _, ...unpriced } = localModel.fields;
  for (const [fields, fault] of [
    [unpriced, /models\[vendor\/m:1\]\.price: /],
    [{ ...localModel.fields, price: { input_tokens: 1, seconds: 1 } }, /models\[vendor\/m:1\]\.price: /],
    [{ ...localModel.fields, context_tokens: undefined }, /models\[vendor\/m:1\]\.context_tokens: /],
    [{ ...localModel.fields, operations: ["chat"] }, /models\[vendor\/m:1\]\.operations\.0: /],
  ] as const)
    assert.throws(() => withEntries([local], [added("vendor/m:1", fields)]), fault);
});

test("environment variables replace defaults and fill in headers", () => {
  const catalog = parseCatalog(yaml(model()), { ...env, ACME_URL: "http://127.0.0.1:9/x", ACME_ORG: "o" });
  const { origin, basePath, headers } = catalog.providers.get("acme") ?? assert.fail();
  assert.deepEqual([origin, basePath, headers], ["http://127.0.0.1:9", "/x", ["x-org", "o", "x-team", "blue"]]);
});

test("omits a provider without its key and the models that only it serves, and names the missing variable", () => {
  const catalog = parseCatalog(yaml(model()), { ACME_KEY: "" });
  assert.equal(catalog.models.size, 0);
  assert.deepEqual(catalog.unserved, ["acme: ACME_KEY is not set"]);
});

test("orders upstreams by priority", () => {
  const two = model().replace(
    "[{ provider: acme }]",
    "[{ provider: acme, model: b, priority: 5 }, { provider: acme, model: a, weight: 3 }]",
  );
  const upstreams = parseCatalog(yaml(two), env).models.get("acme-1")?.upstreams;
  assert.deepEqual(
    upstreams?.map(({ model, weight, priority }) => [model, weight, priority]),
    [
      ["a", 3, 0],
      ["b", 1, 5],
    ],
  );
});

test("the version changes with the file and with the providers' addresses", () => {
  const version = (text: string, more = {}): string => parseCatalog(text, { ...env, ...more }).version;
  assert.equal(version(yaml(model())), version(yaml(model())));
  assert.notEqual(version(yaml(model())), version(yaml(model(), provider.replace("blue", "red"))));
  assert.notEqual(version(yaml(model())), version(yaml(model()), { ACME_URL: "http://127.0.0.1:9/x" }));
});

const faults: [what: string, yaml: string, message: RegExp][] = [
  ["not YAML", "providers: [", /not YAML/],
  ["empty", "", /not YAML/],
  ["an unknown field", yaml(model("\n    colour: red")), /models\[acme-1\]: .*colour/],
  [
    "a negative price",
    yaml(model().replace("input_tokens: 1", "input_tokens: -1")),
    /models\[acme-1\]\.price\.input_tokens: .*/,
  ],
  ["an unknown unit", yaml(model().replace("input_tokens: 1", "words: 1")), /models\[acme-1\]\.price: .*words/],
  [
    "ten decimals",
    yaml(model().replace("input_tokens: 1", "input_tokens: 0.0000000001")),
    /models\[acme-1\]\.price\.input_tokens/,
  ],
  ["an id with capitals", yaml(model().replace("acme-1", "Acme-1")), /models\[Acme-1\]\.id: must be lower case/],
  ["a model twice", yaml(model() + model()), /models\[acme-1\]: duplicate id/],
  [
    "a Responses API that the protocol does not have",
    yaml(model(), provider.replace("protocol: openai", "protocol: anthropic\n    responses_api: true")),
    /providers\.acme\.responses_api: protocol anthropic has no Responses API/,
  ],
  [
    "an unknown provider",
    yaml(model().replace("provider: acme", "provider: unknown")),
    /models\[acme-1\]\.upstreams: unknown provider unknown/,
  ],
  [
    "a price review of an unknown model",
    `${yaml(model())}price_reviews: [{ models: [acme-2], unit: input_tokens, price: 1, reviewed: "2026-11-25", source: "https://acme.test", reason: "none" }]`,
    /price_reviews\.0: unknown model acme-2/,
  ],
  ["no output limit", yaml(model().replace("max_output_tokens: 100", "")), /models\[acme-1\]\.max_output_tokens: /],
  ["no upstream", yaml(model().replace("[{ provider: acme }]", "[]")), /models\[acme-1\]\.upstreams/],
  ["a wrong duration", yaml(model(), provider.replace("250ms", "250")), /providers\.acme\.timeouts\.connect/],
  [
    "a misspelt operation",
    yaml(model().replace("[chat.completions]", "[chat.completions, mesages]")),
    /models\[acme-1\]\.operations\.1: must be one of chat\.completions, responses, messages, embeddings, /,
  ],
  [
    "a free field that is no field's name",
    yaml(model(), provider.replace("[turbo,", '["messages[].turbo",')),
    /providers\.acme\.free_fields\.0: must be a field's name/,
  ],
  ["a wrong protocol", yaml(model(), provider.replace("openai", "soap")), /providers\.acme\.protocol/],
];
for (const [what, text, message] of faults) {
  test(`rejects ${what} and names its place`, () => assert.match(faultOf(text), message));
}

test("a priced unit that no sizing bounds is rejected, because no hold can be computed", () => {
  const priced = (price: string): string => yaml(model().replace("{ input_tokens: 1, output_tokens: 2 }", price));
  const characters = faultOf(priced("{ input_tokens: 1, output_tokens: 2, characters: 3 }"));
  assert.match(characters, /models\[acme-1\]\.price: no sizing bounds characters/);
  assert.match(faultOf(priced("{ output_tokens: 2 }")), /chat\.completions requires a price of input_tokens/);
  const tier = "tiers: [{ above_input_tokens: 9, input_tokens: 2 }]";
  assert.match(
    faultOf(priced(`{ input_tokens: 1, output_tokens: 2, ${tier} }`)),
    /the tier above 9 input tokens has no price of output_tokens/,
  );
});

test("reads a provider's proxy, certificates and connection limits from the file and the environment", () => {
  const parsed = (more: string) =>
    parseCatalog(
      `providers: { acme: { protocol: openai, base_url: "https://up.test", api_key: k, ${more} } }\nmodels: []`,
      {
        ACME_PROXY: "http://proxy.test:3128",
        CERTS: "/etc/certs",
      },
    );
  const transport = parsed(
    `proxy: "\${ACME_PROXY:-}", tls: { ca_file: "\${CERTS}/ca.pem" }, connections: { max: 9, queue: 0 }`,
  ).providers.get("acme")?.transport;
  assert.deepEqual(
    { ...transport, id: "" },
    {
      id: "",
      proxy: "http://proxy.test:3128",
      caFile: "/etc/certs/ca.pem",
      certFile: undefined,
      keyFile: undefined,
      maxConnections: 9,
      maxQueued: 0,
      guarded: false,
    },
  );
  assert.equal(parsed("").providers.get("acme")?.transport.proxy, undefined);
  assert.deepEqual(parsed("proxy: none").unserved, []);
  assert.match(parsed("proxy: socks5://secret@proxy.test").unserved.join(), /^acme: proxy is neither .* none$/);
});

test("parses a file again only after it has changed", () => {
  const rows = readRows(yaml(model()));
  assert.equal(readRows(yaml(model())), rows);
  assert.notEqual(readRows(`${yaml(model())}\n`), rows);
});

const several = `
  acme:
    protocol: openai
    base_url: https://api.acme.test/v1
    credentials:
      - { name: spare, api_key: "${ref("SPARE_KEY")}", priority: 1 }
      - { name: main, api_key: "${ref("MAIN_KEY")}", weight: 3, account: shared }
      - { name: second, api_key: "${ref("SECOND_KEY")}", account: shared }
      - { name: unset, api_key: "${ref("UNSET_KEY")}" }`;
const severalEnv = { SPARE_KEY: "k-spare", MAIN_KEY: "k-main", SECOND_KEY: "k-second" };

test("a provider's credentials form a pool, the lowest priority number first, without one whose variable is not set", () => {
  const catalog = parseCatalog(yaml(model(), several), severalEnv);
  const [upstream] = catalog.models.get("acme-1")?.upstreams ?? [];
  const pool = upstream?.pool ?? [];
  assert.deepEqual(
    pool.map(({ provider: { apiKey, credential } }) => [
      credential.name,
      apiKey,
      credential.weight,
      credential.account,
    ]),
    [
      ["main", "k-main", 3, "shared"],
      ["second", "k-second", 1, "shared"],
      ["spare", "k-spare", 1, "=spare"],
    ],
  );
  assert.ok(pool.every((each) => each.pool === pool));
  assert.equal(upstream, pool[0]);
  const again = parseCatalog(yaml(model(), several), severalEnv).models.get("acme-1")?.upstreams[0];
  assert.equal(again?.provider.credential.seed, upstream?.provider.credential.seed, "every process chooses alike");
  const one = parseCatalog(yaml(model(), several), { MAIN_KEY: "k" }).models.get("acme-1")?.upstreams[0];
  assert.equal(one?.pool, undefined);
  assert.equal(one?.provider.credential.name, "main");
});

test("rejects a provider with both or neither of api_key and credentials, and a repeated name", () => {
  const both = several.replace("credentials:", "api_key: k\n    credentials:");
  assert.match(faultOf(yaml(model(), both)), /providers.acme.api_key: set either api_key or credentials/);
  assert.match(faultOf(yaml(model(), several.replace("name: main", "name: spare"))), /duplicate name spare/);
});

test("a credential is shown by its name, else by its ends, and never by its key", () => {
  const secret = { value: "sk-proj-0123456789abcdef" };
  const of = (name: string) => {
    const credentials = [
      { id: "cred_1", provider: "acme", name, enabled: true, weight: 1, priority: 0, account: "", secret },
    ];
    const overlay = { version: 1, providers: [], models: [], credentials };
    return parseCatalog(yaml(model()), env, { overlay }).models.get("acme-1")?.upstreams[0]?.provider.credential.name;
  };
  assert.equal(of("main"), "main");
  for (const name of ["", "\u4e3b", "a\r\nb", "x".repeat(65)]) assert.equal(of(name), "sk-...cdef", name);
});
