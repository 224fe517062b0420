import assert from "node:assert/strict";
import { test } from "node:test";
import { CatalogError } from "./catalog-error.ts";
import { parseCatalog } from "./parse.ts";
import { openAiOptionNames } from "./protocols.ts";

const ref = (name: string): string => `\${${name}}`;

const provider = `
  acme:
    protocol: openai
    base_url: ${ref("ACME_URL:-https://api.acme.test/v1/")}
    api_key: ${ref("ACME_KEY")}
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
  assert.deepEqual(upstream?.provider, {
    name: "acme",
    protocol: "openai",
    origin: "https://api.acme.test",
    basePath: "/v1",
    apiKey: "secret",
    headers: ["x-team", "blue"],
    timeouts: { connectMs: 250, firstByteMs: 30_000, betweenChunksMs: 120_000, totalMs: 3_600_000 },
    transport: {
      id: "    4096 1024",
      proxy: undefined,
      caFile: undefined,
      certFile: undefined,
      keyFile: undefined,
      maxConnections: 4_096,
      maxQueued: 1_024,
    },
    onAbort: undefined,
    cachesFromTokens: undefined,
    developerRole: true,
    openAiOptions: new Set(openAiOptionNames),
  });
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
  ["empty", "", /expected object/],
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
    "an unknown provider",
    yaml(model().replace("provider: acme", "provider: unknown")),
    /models\[acme-1\]\.upstreams: unknown provider unknown/,
  ],
  ["no output limit", yaml(model().replace("max_output_tokens: 100", "")), /models\[acme-1\]: .*max_output_tokens/],
  ["no upstream", yaml(model().replace("[{ provider: acme }]", "[]")), /models\[acme-1\]\.upstreams/],
  ["a wrong duration", yaml(model(), provider.replace("250ms", "250")), /providers\.acme\.timeouts\.connect/],
  [
    "a misspelt operation",
    yaml(model().replace("[chat.completions]", "[chat.completions, mesages]")),
    /models\[acme-1\]\.operations\.1: must be one of chat\.completions, messages, responses, embeddings, /,
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
    },
  );
  assert.equal(parsed("").providers.get("acme")?.transport.proxy, undefined);
  assert.deepEqual(parsed("proxy: none").unserved, []);
  assert.match(parsed("proxy: socks5://secret@proxy.test").unserved.join(), /^acme: proxy is neither .* none$/);
});
