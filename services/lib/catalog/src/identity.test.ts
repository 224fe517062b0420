import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { hintOf } from "./credential.ts";
import { secretOf, secretsOf } from "./identity.ts";
import type { OverlayCredential } from "./overlay.ts";
import { parseCatalog } from "./parse.ts";
import { pooled } from "./pool.ts";
import type { Upstream } from "./types.ts";

const entra = {
  type: "entra",
  tenant_id: "contoso.onmicrosoft.com",
  client_id: "11111111-2222-3333-4444-55555555abcd",
  client_secret: "a-secret-of-contoso",
};

test("a secret is an API key unless it is a credential document, which is never an API key", () => {
  assert.deepEqual(secretOf("sk-1234"), { apiKey: "sk-1234", identity: undefined });
  const read = secretOf(JSON.stringify(entra));
  assert.ok(typeof read === "object");
  assert.equal(read.apiKey, "");
  assert.equal(read.identity?.type, "entra");
});

test("a document that is not valid is refused with its field, and without its content", () => {
  const without = { ...entra, client_secret: undefined };
  for (const [text, fault] of [
    [JSON.stringify(without), /client_secret/],
    [JSON.stringify({ ...entra, type: "other" }), /type/],
    [`{"type":"entra","client_secret":"${entra.client_secret}"`, /not valid/],
    [JSON.stringify({ ...entra, token_url: "file:///etc" }), /token_url/],
    [JSON.stringify({ ...entra, tenant_id: "../x" }), /tenant_id/],
  ] as const) {
    const read = secretOf(text);
    assert.ok(typeof read === "string");
    assert.match(read, fault);
    assert.doesNotMatch(read, /a-secret-of-contoso/);
  }
});

test("a document is shown by its kind and the end of its public id", () => {
  assert.equal(hintOf(JSON.stringify(entra)), "entra ...abcd");
  assert.equal(hintOf('{"type":'), "...");
});

const yaml = `
providers:
  p:
    protocol: azure
    base_url: https://p.test/openai/v1
    credentials: [{ name: a, api_key: "\${DOCUMENT}" }, { name: b, api_key: "\${KEY}" }]
models: []`;

test("a pool may have an API key and a document, each with its own secret only", () => {
  const env = { DOCUMENT: JSON.stringify(entra), KEY: "azure-key-1" };
  const provider = parseCatalog(yaml, env).providers.get("p");
  assert.ok(provider);
  const { pool = [] } = pooled({ provider, model: "m", weight: 1, priority: 0 } satisfies Upstream);
  const secrets = pool.map((each) => [each.provider.apiKey, each.provider.identity?.type]);
  assert.deepEqual(secrets, [
    ["", "entra"],
    ["azure-key-1", undefined],
  ]);
});

test("another secret in a document makes another version of the catalogue", () => {
  const versionWith = (clientSecret: string) =>
    parseCatalog(yaml, { DOCUMENT: JSON.stringify({ ...entra, client_secret: clientSecret }), KEY: "k" }).version;
  assert.notEqual(versionWith("one"), versionWith("two"));
});

test("a credential whose document is not valid is not used, and the provider is served with the others", () => {
  const catalog = parseCatalog(yaml, { DOCUMENT: '{"type":"entra"}', KEY: "k" });
  assert.deepEqual(
    catalog.providers.get("p")?.inUse.map(({ id }) => id),
    ["b"],
  );
  const none = parseCatalog(yaml.replace(/, \{ name: b, .*? \}/, ""), { DOCUMENT: '{"type":"entra"}' });
  assert.match(none.unserved.join(), /^p: the credential is not valid: tenant_id/);
});

const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" });
const account = {
  type: "service_account",
  client_email: "a@b.test",
  private_key_id: "0123456789abcdef",
  private_key: key,
};

test("a service account's key file is a credential document, without a key that cannot sign", () => {
  const read = secretOf(JSON.stringify({ ...account, project_id: "p", universe_domain: "googleapis.com" }, null, 2));
  assert.ok(typeof read === "object");
  assert.equal(read.identity?.type, "service_account");
  assert.equal(hintOf(JSON.stringify(account)), "service_account ...cdef");
  const fault = secretOf(JSON.stringify({ ...account, private_key: "-----BEGIN PRIVATE KEY-----" }));
  assert.equal(fault, "the credential is not valid: private_key must be an RSA private key in PEM");
});

test("only the services' environment may name their own identity, which an operator could send anywhere", () => {
  const document = JSON.stringify({ type: "google_metadata" });
  const file = `providers: { p: { protocol: vertex, base_url: https://p.test, api_key: "\${KEY}" } }\nmodels: []`;
  const catalogWith = (secret: OverlayCredential["secret"]) => {
    const credential = { id: "c", provider: "p", name: "", enabled: true, weight: 1, priority: 0, account: "", secret };
    const overlay = { version: 1, providers: [], models: [], credentials: [credential] };
    return parseCatalog(file, { PROVIDER_SECRET_P: document }, { overlay });
  };
  assert.match(catalogWith({ value: document }).unserved.join(), /own identity can only be used from a variable/);
  const named = catalogWith({ reference: `\${PROVIDER_SECRET_P}` });
  assert.equal(named.providers.get("p")?.identity?.type, "google_metadata");
});

test("an access key of AWS is shown by its id, and its secrets are neither shown nor quoted in a fault", () => {
  const key = {
    type: "aws",
    access_key_id: "AKIAIOSFODNN7EXAMPLE",
    secret_access_key: "a-secret-of-aws",
    region: "us-east-1",
  };
  assert.equal(hintOf(JSON.stringify(key)), "aws ...MPLE");
  const temporary = secretOf(JSON.stringify({ ...key, session_token: "a-token" }));
  assert.ok(typeof temporary === "object" && temporary.identity !== undefined);
  assert.deepEqual(secretsOf(temporary.identity), ["a-secret-of-aws", "a-token"]);
  for (const [more, field] of [
    [{ region: "us east" }, /region must be/],
    [{ region: undefined }, /region/],
    [{ access_key_id: "AKIA/../x" }, /access_key_id must be/],
    [{ session_token: "a\nb" }, /session_token must have/],
  ] as const) {
    const fault = secretOf(JSON.stringify({ ...key, ...more }));
    assert.ok(typeof fault === "string");
    assert.match(fault, field);
    assert.doesNotMatch(fault, /a-secret-of-aws/);
  }
});

test("the role of a workload needs the environment of the service, which an operator's credential does not have", () => {
  const document = '{"type":"aws_role"}';
  assert.match(String(secretOf(document)), /own identity can only be used from a variable/);
  assert.match(String(secretOf(document, {})), /no region, and AWS_REGION is not set/);
  const env = {
    AWS_REGION: "eu-west-1",
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/credentials/1",
    AWS_CONTAINER_AUTHORIZATION_TOKEN: "the-token-of-the-container",
  };
  const read = secretOf(document, env);
  assert.ok(typeof read === "object" && read.identity?.type === "aws_role");
  assert.deepEqual([read.identity.region, read.identity.source.kind], ["eu-west-1", "container"]);
  assert.deepEqual(secretsOf(read.identity), ["the-token-of-the-container"]);
  for (const [field, value] of [
    ["role_arn", "arn:aws:iam::1:role/x"],
    ["external_id", "a b"],
    ["sts_url", "file:///etc"],
  ]) {
    assert.match(String(secretOf(`{"type":"aws_role","${field}":"${value}"}`, env)), new RegExp(`not valid: ${field}`));
  }
});

test("a federation of workload identities is read as gcloud writes it, and a source that runs a program is refused", () => {
  const account = {
    type: "external_account",
    universe_domain: "googleapis.com",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    credential_source: { url: "https://issuer.example.com/token", headers: { "x-key": "the-key-of-the-issuer" } },
  };
  const read = secretOf(JSON.stringify(account), {});
  assert.ok(typeof read === "object" && read.identity?.type === "external_account");
  assert.deepEqual(secretsOf(read.identity), ["the-key-of-the-issuer"]);
  assert.match(String(secretOf(JSON.stringify(account))), /own identity can only be used from a variable/);
  for (const [source, fault] of [
    [{ executable: { command: "/bin/sh" } }, /credential_source must have file, url, or environment_id aws1/],
    [{ url: "http://10.0.0.1/token" }, /credential_source\.url must be an https URL, or that of the machine's/],
  ] as const)
    assert.match(String(secretOf(JSON.stringify({ ...account, credential_source: source }), {})), fault);
});
