import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { type LocalSimulator, startSimulator } from "./local-simulator.ts";
import { startChat } from "./support.ts";

/** What the simulator requires of a token: three parts. */
const webToken = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJnYXRld2F5In0.c2lnbmF0dXJl";
const roleArn = "arn:aws:iam::123456789012:role/gateway";

let simulator: LocalSimulator;
let folder: string;
const resources = new AsyncDisposableStack();

before(async () => {
  simulator = resources.use(await startSimulator());
  folder = await mkdtemp(join(tmpdir(), "workload-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "token"), `${webToken}\n`);
  await writeFile(join(folder, "token.json"), JSON.stringify({ access_token: webToken }));
  await writeFile(join(folder, "bad-token"), `bad-${webToken}`);
});
after(() => resources.disposeAsync());

interface Workload {
  readonly protocol: string;
  readonly path: string;
  readonly model: string;
  readonly document: object;
  /** What the platform sets. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A service of a workload whose provider `own` has its identity. */
async function startWorkload({ protocol, path, model, document, env }: Workload): Promise<OperationsHarness> {
  const catalog = `
providers:
  own: { protocol: ${protocol}, base_url: "${simulator.url}${path}", api_key: "\${PROVIDER_SECRET_OWN}" }
models:
  - { id: m, owned_by: o, created: 0, operations: [chat.completions], context_tokens: 128000, max_output_tokens: 8192,
      price: { input_tokens: 1, output_tokens: 2 }, upstreams: [{ provider: own, model: "${model}" }] }
`;
  const secrets = { PROVIDER_SECRET_OWN: JSON.stringify(document) };
  return await startChat({ catalog, env: { ...env, ...secrets }, egressAllow: [new URL(simulator.url).host] });
}

const bedrock = { protocol: "bedrock", path: "/bedrock", model: "us.anthropic.claude-haiku-4-5-20251001-v1:0" };
const awsRole = (more: object = {}) => ({
  ...bedrock,
  document: { type: "aws_role", region: "us-east-1", sts_url: `${simulator.url}/aws-sts/`, ...more },
});

const ask = (harness: OperationsHarness, content: string) =>
  harness.call("chat.completions", { model: "m", messages: [{ role: "user", content }] });
const failureIn = (harness: OperationsHarness) => harness.admission.booked.at(-1)?.settlement?.failedAttempts?.[0];
/** The simulator's calls of providers whose names begin so, in order. */
const callsOf = async (name: string) => (await simulator.log()).filter(({ provider }) => provider.startsWith(name));

/** The paths that a workload's identity was fetched by, for eight calls at the same time and one after them. */
async function fetchesOf(workload: Workload, authority: string): Promise<string[]> {
  await using harness = await startWorkload(workload);
  const before = (await callsOf(authority)).length;
  const asked = await Promise.all(Array.from({ length: 8 }, (_, index) => ask(harness, `say: ${index}`)));
  for (const { status, text } of [...asked, await ask(harness, "say: last")]) assert.equal(status, 200, text);
  return (await callsOf(authority)).slice(before).map(({ path }) => path);
}

test("a task at ECS serves Bedrock with the role of its container, fetched once for all calls", async () => {
  const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator.url}/aws-container/v2/credentials/1` };
  assert.deepEqual(await fetchesOf({ ...awsRole(), env }, "aws-"), ["/aws-container/v2/credentials/1"]);
});

test("a pod at EKS proves itself by the file of its token", async () => {
  const env = {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator.url}/aws-container/v1/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(folder, "token"),
  };
  assert.deepEqual(await fetchesOf({ ...awsRole(), env }, "aws-"), ["/aws-container/v1/credentials"]);
});

test("a service account with a role (IRSA) assumes it by its token", async () => {
  const env = { AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, "token"), AWS_ROLE_ARN: roleArn };
  assert.deepEqual(await fetchesOf({ ...awsRole(), env }, "aws-"), ["/aws-sts/"]);
});

test("an instance serves Bedrock with its role, by IMDSv2, and may assume another role with it", async () => {
  const env = { AWS_EC2_METADATA_SERVICE_ENDPOINT: simulator.url };
  const role = "/latest/meta-data/iam/security-credentials/";
  const imds = ["/latest/api/token", role, `${role}gateway-instance`];
  assert.deepEqual(await fetchesOf({ ...awsRole(), env }, "aws-"), imds);
  const other = awsRole({ role_arn: "arn:aws:iam::123456789012:role/external-partner", external_id: "partner" });
  assert.deepEqual(await fetchesOf({ ...other, env }, "aws-"), [...imds, "/aws-sts/"]);
});

test("a stored access key assumes its role, and its calls are signed by the role's temporary key", async () => {
  const response = await fetch(`${simulator.url}/sim/access-keys`, { method: "POST" });
  const key = (await response.json()) as { access_key_id: string; secret_access_key: string };
  const document = { ...awsRole().document, ...key, type: "aws", role_arn: roleArn };
  const before = (await callsOf("bedrock")).length;
  assert.deepEqual(await fetchesOf({ ...bedrock, document }, "aws-"), ["/aws-sts/"]);
  const signers = new Set((await callsOf("bedrock")).slice(before).map(({ key_hash }) => key_hash));
  assert.equal(signers.size, 1);
  const [own] = (await callsOf("aws-sts")).slice(-1);
  assert.ok(own !== undefined && !signers.has(own.key_hash), "the stored key signs only the request to STS");
});

test("a temporary key that AWS no longer accepts is renewed without a failed request", async () => {
  const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator.url}/aws-container/v2/credentials/1` };
  await using harness = await startWorkload({ ...awsRole(), env });
  assert.equal((await ask(harness, "say: one")).status, 200);
  await fetch(`${simulator.url}/sim/access-keys`, { method: "DELETE" });
  const before = (await callsOf("aws-container")).length;
  const asked = await Promise.all(["two", "three", "four"].map((text) => ask(harness, `say: ${text}`)));
  assert.deepEqual(
    asked.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await callsOf("aws-container")).length, before + 1);
});

test("a role that may not be assumed is the operator's problem, with what to do, and no token is shown", async () => {
  const env = {
    AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, "token"),
    AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/denied",
  };
  await using harness = await startWorkload({ ...awsRole(), env });
  const { status, text } = await ask(harness, "Hello");
  assert.equal(status, 502, text);
  assert.doesNotMatch(text, /sts|role/i);
  const failed = failureIn(harness);
  assert.deepEqual([failed?.failure, failed?.code], ["operator", "AccessDenied"]);
  assert.match(failed?.message ?? "", /^AWS STS refused the credential: Not authorized to perform .*\. Check that the/);
  assert.doesNotMatch(JSON.stringify(failed), new RegExp(webToken));
});

test("a platform that does not respond, or whose token file is missing, is reported with what to do", async () => {
  const closed = { AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://127.0.0.1:1/v1/credentials" };
  await using dead = await startWorkload({ ...awsRole(), env: closed });
  assert.notEqual((await ask(dead, "Hello")).status, 200);
  assert.match(failureIn(dead)?.message ?? "", /endpoint did not respond: no connection.*pod identity association/);
  const missing = { AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, "none"), AWS_ROLE_ARN: roleArn };
  await using fileless = await startWorkload({ ...awsRole(), env: missing });
  assert.equal((await ask(fileless, "Hello")).status, 502);
  assert.match(failureIn(fileless)?.message ?? "", /token file .* is not usable: it cannot be read: ENOENT\. Mount/);
});

const vertex = {
  protocol: "vertex",
  path: "/vertex/v1beta1/projects/p/locations/global",
  model: "gemini-2.5-flash",
};
const audience = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider";
/** A configuration as gcloud writes it. */
const account = (source: object, more: object = {}) => ({
  ...vertex,
  document: {
    universe_domain: "googleapis.com",
    type: "external_account",
    audience,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${simulator.url}/google/v1/token`,
    credential_source: source,
    ...more,
  },
});
const impersonates = (email: string) => ({
  service_account_impersonation_url: `${simulator.url}/google/v1/projects/-/serviceAccounts/${email}:generateAccessToken`,
});

test("a token in a file is exchanged for Google's, and serves Vertex AI, fetched once for all calls", async () => {
  assert.deepEqual(await fetchesOf(account({ file: join(folder, "token") }), "google"), ["/google/v1/token"]);
});

test("a token in a JSON file is exchanged for Google's, and that for the token of a service account", async () => {
  const format = { type: "json", subject_token_field_name: "access_token" };
  const email = "gateway@p.iam.gserviceaccount.com";
  const workload = account({ file: join(folder, "token.json"), format }, impersonates(email));
  assert.deepEqual(await fetchesOf(workload, "google"), [
    "/google/v1/token",
    `/google/v1/projects/-/serviceAccounts/${email}:generateAccessToken`,
  ]);
});

test("the token of a machine at Azure is fetched from its URL and exchanged for Google's", async () => {
  const url = `${simulator.url}/metadata/identity/oauth2/token?api-version=2018-02-01&resource=api://gateway`;
  const format = { type: "json", subject_token_field_name: "access_token" };
  const workload = account({ url, headers: { Metadata: "true" }, format });
  assert.deepEqual(await fetchesOf(workload, "azure-instance"), ["/metadata/identity/oauth2/token"]);
});

test("a role at AWS is proven to Google by a signed request, without another secret", async () => {
  const source = {
    environment_id: "aws1",
    region_url: "http://169.254.169.254/latest/meta-data/placement/availability-zone",
    url: "http://169.254.169.254/latest/meta-data/iam/security-credentials",
    regional_cred_verification_url: "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
  };
  const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator.url}/aws-container/v2/credentials/1` };
  const aws = { subject_token_type: "urn:ietf:params:aws:token-type:aws4_request" };
  assert.deepEqual(await fetchesOf({ ...account(source, aws), env }, "google"), ["/google/v1/token"]);
});

test("a token that Google refuses, and a service account that may not be impersonated, are reported with what to do", async () => {
  await using refused = await startWorkload(account({ file: join(folder, "bad-token") }));
  const { status, text } = await ask(refused, "Hello");
  assert.equal(status, 502, text);
  assert.doesNotMatch(text, /Google|pool/);
  assert.match(
    failureIn(refused)?.message ?? "",
    /^Google's token exchange refused the credential: .* attribute condition\. Check that the workload identity pool/,
  );
  const file = join(folder, "token");
  await using denied = await startWorkload(account({ file }, impersonates("denied@p.iam.gserviceaccount.com")));
  assert.equal((await ask(denied, "Hello")).status, 502);
  assert.match(failureIn(denied)?.message ?? "", /^Google's IAM refused .* Grant this workload roles\/iam\.workload/);
});

const azure = { protocol: "azure", path: "/azure/openai/v1", model: "gpt-4o-mini" };
const managed = (more: object = {}) => ({ ...azure, document: { type: "managed_identity", ...more } });

test("a pod at AKS serves Azure OpenAI by the token of its service account", async () => {
  const env = {
    AZURE_FEDERATED_TOKEN_FILE: join(folder, "token"),
    AZURE_TENANT_ID: "contoso",
    AZURE_CLIENT_ID: "11111111-2222-3333-4444-55555555abcd",
    AZURE_AUTHORITY_HOST: `${simulator.url}/entra/`,
  };
  assert.deepEqual(await fetchesOf({ ...managed(), env }, "entra"), ["/entra/contoso/oauth2/v2.0/token"]);
});

test("an app at App Service and a machine serve Azure OpenAI by their managed identity", async () => {
  const app = { IDENTITY_ENDPOINT: `${simulator.url}/msi/token`, IDENTITY_HEADER: "the-header-of-the-app" };
  assert.deepEqual(await fetchesOf({ ...managed(), env: app }, "azure-app"), ["/msi/token"]);
  const machine = { AZURE_POD_IDENTITY_AUTHORITY_HOST: simulator.url };
  const workload = { ...managed({ client_id: "11111111-2222" }), env: machine };
  assert.deepEqual(await fetchesOf(workload, "azure-instance"), ["/metadata/identity/oauth2/token"]);
});

test("an identity that is not assigned to the machine is reported with what to do", async () => {
  const env = { AZURE_POD_IDENTITY_AUTHORITY_HOST: simulator.url };
  await using harness = await startWorkload({ ...managed({ client_id: "bad-1" }), env });
  assert.equal((await ask(harness, "Hello")).status, 502);
  assert.match(failureIn(harness)?.message ?? "", /Identity not found\. Assign a managed identity to the machine/);
});
