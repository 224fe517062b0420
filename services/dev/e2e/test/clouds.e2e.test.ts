import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { adminApi } from "@uag/cli/commands/admin-api";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import OpenAI, { APIError } from "openai";

interface Receipt {
  readonly event: { readonly cost_usd: string; readonly upstream: string; readonly model: string };
}
interface Credential {
  readonly id: string;
  readonly hint: string;
  readonly revision: number;
}
interface Test {
  readonly passed: boolean;
  readonly steps: readonly { step: string; state: string; reason: string | null; message: string | null }[];
}
interface LogEntry {
  readonly provider: string;
  readonly path: string;
  readonly key_hash: string | null;
  readonly status: number;
  readonly true_usage: Anthropic.Usage | null;
}

/** Those that call providers. */
const fleetProcesses = 2;
const inputUsd = 3;
const outputUsd = 7;
const fields = {
  operations: ["chat.completions", "messages"],
  context_tokens: 128_000,
  max_output_tokens: 4_096,
  price: { input_tokens: inputUsd, cached_input_tokens: inputUsd, output_tokens: outputUsd },
};
const messages = [{ role: "user" as const, content: "Tell me a story." }];

describe("providers with credentials of their own kind", () => {
  let fleet: TestFleet;
  let openai: OpenAI;
  const resources = new AsyncDisposableStack();
  /** Writes the file of a variable of the services. */
  let writeSecret: (name: string, document: object) => Promise<void>;

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "clouds-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const file = (name: string) => join(dataDir, name);
    await writeFile(file("token"), "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJnYXRld2F5In0.c2lnbmF0dXJl");
    await writeFile(file("aws-role"), "{}");
    writeSecret = (name, document) => writeFile(file(name), JSON.stringify(document));
    const env = {
      PROVIDER_SECRET_AWS_FILE: file("aws-role"),
      AWS_WEB_IDENTITY_TOKEN_FILE: file("token"),
      AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/gateway",
    };
    const services = ["billing", "metering", "chat", "embedding", "router"] as const;
    fleet = resources.use(await startTestFleet({ dataDir, env, single: true, services: [...services] }));
    openai = new OpenAI({ baseURL: `${fleet.run.base_url}/v1`, apiKey: fleet.run.api_key, maxRetries: 0 });
  });
  after(() => resources.disposeAsync());

  const call = async <T>(method: string, path: string, body?: unknown) =>
    (await adminApi(fleet.run).call(method, path, body)) as T;
  const add = (id: string, more: object) => call("POST", "/providers", { id, ...more });
  const addModel = (id: string, provider: string, model: string, more: object = {}) =>
    call("POST", "/models", { id, ...fields, upstreams: [{ provider, model, ...more }] });
  const logOf = async (provider: string): Promise<LogEntry[]> => {
    const response = await fetch(`${fleet.run.simulator_url}/sim/log?limit=10000`);
    const { entries } = (await response.json()) as { entries: LogEntry[] };
    return entries.filter((entry) => entry.provider === provider);
  };
  /** Asks until the change is in force. */
  const served = async (model: string) =>
    await waitFor(
      () =>
        openai.chat.completions
          .create({ model, messages, max_tokens: 50 })
          .withResponse()
          .catch((error: unknown) => {
            if (error instanceof APIError && error.code === "model_not_found") return undefined;
            throw error;
          }),
      { what: model },
    );
  const receiptOf = async (request: string | null) =>
    (
      await waitFor(() => call<Receipt>("GET", `/usage/events/${request}`).catch(() => undefined), {
        what: "the receipt",
      })
    ).event;
  const costOf = ({ prompt_tokens: input, completion_tokens: output }: OpenAI.CompletionUsage): number =>
    (input * inputUsd + output * outputUsd) / 1e6;
  /** A response and a stream are billed exactly; returns the text of the stream's chunks. */
  async function billsExactly(model: string, upstream: string): Promise<string> {
    const { data, response } = await served(model);
    const event = await receiptOf(response.headers.get("x-request-id"));
    assert.deepEqual([event.upstream, event.model], [upstream, model]);
    assert.equal(Number(event.cost_usd), costOf(data.usage ?? assert.fail()));
    const streamed = await openai.chat.completions
      .create({ model, messages, max_tokens: 50, stream: true, stream_options: { include_usage: true } })
      .withResponse();
    let usage: OpenAI.CompletionUsage | undefined;
    const chunks: unknown[] = [];
    for await (const chunk of streamed.data) {
      usage = chunk.usage ?? usage;
      chunks.push(chunk);
    }
    const { cost_usd: cost } = await receiptOf(streamed.response.headers.get("x-request-id"));
    assert.equal(Number(cost), costOf(usage ?? assert.fail("the stream reports no usage")));
    return JSON.stringify(chunks);
  }

  describe("Azure OpenAI", () => {
    const entra = (clientSecret: string, more: object = {}) =>
      JSON.stringify({
        type: "entra",
        tenant_id: "contoso.onmicrosoft.com",
        client_id: "11111111-2222-3333-4444-55555555abcd",
        client_secret: clientSecret,
        token_url: `${fleet.run.simulator_url}/entra/contoso.onmicrosoft.com/oauth2/v2.0/token`,
        ...more,
      });
    const secret = "the-secret-of-contoso-1234";

    test("an application of Entra ID serves chat, streams and embeddings with one token, which is billed exactly and shown masked", async () => {
      const baseUrl = `${fleet.run.simulator_url}/azure/openai/v1`;
      await add("az", { template: "azure", base_url: baseUrl, api_key: entra(secret) });
      await addModel("az/gpt", "az", "gpt-4o-mini");
      assert.match(await billsExactly("az/gpt", "az"), /prompt_filter_results.*content_filter_results/);
      await call("POST", "/models", {
        id: "az/embed",
        like: "text-embedding-3-small",
        upstreams: [{ provider: "az", model: "text-embedding-3-small", batch: { items: 2048, tokens: 300_000 } }],
      });
      const embed = () => openai.embeddings.create({ model: "az/embed", input: "a text" });
      const vectors = await waitFor(
        () => embed().catch((error) => (error.code === "model_not_found" ? undefined : Promise.reject(error))),
        { what: "the embeddings model" },
      );
      assert.equal(vectors.data[0]?.embedding.length, 1536);
      const tokens = await logOf("entra");
      assert.ok(tokens.length <= fleetProcesses, "each process fetches one token");
      assert.equal(new Set((await logOf("azure")).map(({ key_hash }) => key_hash)).size, tokens.length);
      const { credentials } = await call<{ credentials: Credential[] }>("GET", "/providers/az");
      assert.equal(credentials[0]?.hint, "entra ...abcd");
    });

    test("a deployment is called by its path with an api-version, and an API key in its own header", async () => {
      const more = { base_url: `${fleet.run.simulator_url}/azure/openai`, api_version: "2024-10-21" };
      await add("az-dated", { template: "azure", ...more, api_key: "an-azure-key-123456" });
      await addModel("az/dated", "az-dated", "gpt-4.1-mini");
      await billsExactly("az/dated", "az-dated");
      const paths = (await logOf("azure")).map(({ path }) => path);
      assert.ok(paths.includes("/azure/openai/deployments/gpt-4.1-mini/chat/completions"));
      assert.equal((await call<Test>("POST", "/providers/az-dated/test", {})).passed, true);
    });

    test("a prompt that Azure's filter refuses is the client's error and costs nothing", async () => {
      const content = "blocked";
      const refused = openai.chat.completions.create({ model: "az/gpt", messages: [{ role: "user", content }] });
      await assert.rejects(refused, (error: unknown) => {
        assert.ok(error instanceof APIError);
        assert.equal(error.status, 400);
        assert.match(error.message, /content management policy/);
        return true;
      });
    });

    test("a refused secret is the operator's problem: the test call reports Entra's words, and a client sees none of them", async () => {
      const baseUrl = `${fleet.run.simulator_url}/azure/openai/v1`;
      await add("az-wrong", { template: "azure", base_url: baseUrl, api_key: entra("bad-secret-5678") });
      await addModel("az/wrong", "az-wrong", "gpt-4o-mini");
      const tested = await call<Test>("POST", "/providers/az-wrong/test", {});
      const failed = tested.steps.find(({ state }) => state === "failed");
      assert.deepEqual([failed?.step, failed?.reason], ["models", "wrong_key"]);
      assert.match(failed?.message ?? "", /Microsoft Entra ID refused the credential: AADSTS7000215/);
      await assert.rejects(served("az/wrong"), (error: unknown) => {
        assert.ok(error instanceof APIError);
        assert.doesNotMatch(error.message, /AADSTS|bad-secret|Entra/);
        return true;
      });
      const text = JSON.stringify([tested, await call("GET", "/audit-log?limit=100")]);
      assert.doesNotMatch(text, /bad-secret|the-secret-of-contoso/);
    });

    test("a document that lacks a field is refused with the field", async () => {
      const apiKey = JSON.stringify({ type: "entra", tenant_id: "t", client_id: "c" });
      const baseUrl = `${fleet.run.simulator_url}/azure/openai/v1`;
      await assert.rejects(add("az-lacks", { template: "azure", base_url: baseUrl, api_key: apiKey }), /client_secret/);
    });

    test("a second credential takes over when the first one's secret is refused", async () => {
      await call("POST", "/providers/az-wrong/credentials", { api_key: entra(secret), priority: 1 });
      await waitFor(
        () => served("az/wrong").catch((error) => (error instanceof APIError ? undefined : Promise.reject(error))),
        { what: "the second credential" },
      );
    });
  });

  describe("Vertex AI", () => {
    type Account = Readonly<Record<string, string>>;
    const newAccount = async (): Promise<Account> => {
      const tokenUri = encodeURIComponent(`${fleet.run.simulator_url}/google/token`);
      const url = `${fleet.run.simulator_url}/sim/service-accounts?token_uri=${tokenUri}`;
      return (await (await fetch(url, { method: "POST" })).json()) as Account;
    };
    const place = () => `${fleet.run.simulator_url}/vertex/v1beta1/projects/acme/locations/us-east5`;
    let account: Account;

    test("the key file of a service account serves Gemini and Claude with one token a process, billed exactly and shown masked", async () => {
      account = await newAccount();
      const apiKey = JSON.stringify(account, null, 2);
      await add("vx", { template: "vertex", base_url: place(), api_key: apiKey });
      await addModel("vx/gemini", "vx", "gemini-2.5-flash");
      await addModel("vx/claude", "vx", "claude-haiku-4-5@20251001");
      await billsExactly("vx/gemini", "vx");
      await billsExactly("vx/claude", "vx");
      const { credentials } = await call<{ credentials: Credential[] }>("GET", "/providers/vx");
      assert.equal(credentials[0]?.hint, `service_account ...${account["private_key_id"]?.slice(-4)}`);
      assert.equal((await call<Test>("POST", "/providers/vx/test", {})).passed, true);
      assert.ok((await logOf("google")).length <= fleetProcesses, "each process fetches one token");
      const calls = await logOf("vertex");
      assert.ok(calls.length >= 5 && calls.every(({ status }) => status === 200));
    });

    test("messages pass to Claude in its own format, streamed or not, and cost what its usage says", async () => {
      const anthropic = new Anthropic({ baseURL: fleet.run.base_url, apiKey: fleet.run.api_key, maxRetries: 0 });
      const request = { model: "vx/claude", max_tokens: 50, messages };
      const costOfMessage = ({ input_tokens: input, output_tokens: output }: Anthropic.Usage): number =>
        (input * inputUsd + output * outputUsd) / 1e6;
      const { data, response } = await anthropic.messages.create(request).withResponse();
      assert.equal(data.content[0]?.type, "text");
      const { cost_usd: cost } = await receiptOf(response.headers.get("x-request-id"));
      assert.equal(Number(cost), costOfMessage(data.usage));
      const stream = anthropic.messages.stream(request);
      const [{ response: head }, message] = await Promise.all([stream.withResponse(), stream.finalMessage()]);
      assert.equal(message.stop_reason, "max_tokens");
      const streamed = await receiptOf(head.headers.get("x-request-id"));
      assert.equal(Number(streamed.cost_usd), costOfMessage(message.usage));
    });

    test("a token that is revoked is renewed without a failed request", async () => {
      const before = (await logOf("google")).length;
      await fetch(`${fleet.run.simulator_url}/sim/google-tokens`, { method: "DELETE" });
      const asked = await Promise.all(
        ["one", "two", "three", "four"].map((text) =>
          openai.chat.completions.create({ model: "vx/gemini", messages: [{ role: "user", content: text }] }),
        ),
      );
      assert.equal(asked.length, 4);
      assert.equal((await logOf("google")).length, before + 1, "one token for all calls");
    });

    test("an account whose key is not its own is the operator's problem: the test call reports Google's words, and a client sees none of them", async () => {
      const forged = { ...(await newAccount()), private_key_id: account["private_key_id"] };
      await add("vx-forged", { template: "vertex", base_url: place(), api_key: JSON.stringify(forged) });
      await addModel("vx/forged", "vx-forged", "gemini-2.5-flash");
      const tested = await call<Test>("POST", "/providers/vx-forged/test", {});
      const failed = tested.steps.find(({ state }) => state === "failed");
      assert.equal(failed?.reason, "wrong_key");
      assert.match(failed?.message ?? "", /Google refused the credential: Invalid JWT Signature/);
      await assert.rejects(served("vx/forged"), (error: unknown) => {
        assert.ok(error instanceof APIError);
        assert.doesNotMatch(error.message, /JWT|Google/);
        return true;
      });
      const text = JSON.stringify([tested, await call("GET", "/audit-log?limit=100")]);
      assert.doesNotMatch(text, /PRIVATE KEY/);
    });

    test("the services' own identity and a key that cannot sign are refused with the reason", async () => {
      const refused = (apiKey: object, fault: RegExp) =>
        assert.rejects(
          add("vx-refused", { template: "vertex", base_url: place(), api_key: JSON.stringify(apiKey) }),
          fault,
        );
      await refused({ type: "google_metadata" }, /own identity can only be used from a variable/);
      await refused(
        { ...account, private_key: "-----BEGIN PRIVATE KEY-----" },
        /private_key must be an RSA private key/,
      );
    });
  });

  describe("Amazon Bedrock", () => {
    const newKey = async (query = ""): Promise<Readonly<Record<string, string>>> => {
      const response = await fetch(`${fleet.run.simulator_url}/sim/access-keys${query}`, { method: "POST" });
      return { type: "aws", region: "us-east-1", ...((await response.json()) as object) };
    };
    const base = () => `${fleet.run.simulator_url}/bedrock`;
    const claude = "us.anthropic.claude-haiku-4-5-20251001-v1:0";

    test("an access key serves Claude and Nova, streamed or not, billed exactly, tested with its list, and shown masked", async () => {
      const key = await newKey();
      await add("br", { template: "bedrock", base_url: base(), api_key: JSON.stringify(key) });
      await addModel("br/claude", "br", claude);
      await addModel("br/nova", "br", "us.amazon.nova-pro-v1:0");
      await billsExactly("br/claude", "br");
      await billsExactly("br/nova", "br");
      const { credentials } = await call<{ credentials: Credential[] }>("GET", "/providers/br");
      assert.equal(credentials[0]?.hint, `aws ...${key["access_key_id"]?.slice(-4)}`);
      const tested = await call<Test>("POST", "/providers/br/test", {});
      assert.deepEqual([tested.passed, tested.steps.find(({ step }) => step === "models")?.state], [true, "passed"]);
      assert.ok((await logOf("bedrock")).every(({ status }) => status === 200));
    });

    test("messages pass to Claude in its own format, and cost what their usage says, also when the client disconnects", async () => {
      const anthropic = new Anthropic({ baseURL: fleet.run.base_url, apiKey: fleet.run.api_key, maxRetries: 0 });
      const request = { model: "br/claude", max_tokens: 200, messages };
      const costOfMessage = ({ input_tokens: input, output_tokens: output }: Anthropic.Usage): number =>
        (input * inputUsd + output * outputUsd) / 1e6;
      const stream = anthropic.messages.stream(request);
      const [{ response: head }, message] = await Promise.all([stream.withResponse(), stream.finalMessage()]);
      const streamed = await receiptOf(head.headers.get("x-request-id"));
      assert.equal(Number(streamed.cost_usd), costOfMessage(message.usage));

      await addModel("br/slow", "br", `${claude}--sim-slow-5`);
      await served("br/slow");
      const content = "repeat 100 words";
      const cut = anthropic.messages.stream({ ...request, model: "br/slow", messages: [{ role: "user", content }] });
      const { response } = await cut.withResponse();
      for await (const event of cut) if (event.type === "content_block_delta") break;
      const { cost_usd: cost } = await receiptOf(response.headers.get("x-request-id"));
      const last = (await logOf("bedrock")).at(-1);
      assert.equal(Number(cost), costOfMessage(last?.true_usage ?? assert.fail()), "Bedrock generates to the end");
    });

    test("Titan and Cohere embed texts in batches that each takes, in the requested size, billed by the tokens that Bedrock counts", async () => {
      const models = [
        {
          id: "br/titan",
          like: "bedrock/titan-embed-text-v2",
          model: "amazon.titan-embed-text-v2:0",
          items: 1,
          size: 256,
        },
        { id: "br/cohere", like: "bedrock/cohere-embed-v4", model: "cohere.embed-v4:0", items: 96, size: 512 },
      ];
      const input = ["one text", "another text", "a third text that is longer"];
      for (const { id, like, model, items, size } of models) {
        const batch = { items, tokens: 8_192 };
        await call("POST", "/models", { id, like, upstreams: [{ provider: "br", model, batch }] });
        const before = (await logOf("bedrock")).length;
        const { data, response } = await waitFor(
          () =>
            openai.embeddings
              .create({ model: id, input, dimensions: size })
              .withResponse()
              .catch((error) => (error.code === "model_not_found" ? undefined : Promise.reject(error))),
          { what: id },
        );
        assert.deepEqual(
          data.data.map(({ embedding }) => embedding.length),
          [size, size, size],
        );
        const calls = (await logOf("bedrock")).slice(before);
        assert.equal(calls.length, Math.ceil(input.length / items));
        const { cost_usd: cost } = await receiptOf(response.headers.get("x-request-id"));
        const usd = id === "br/titan" ? 0.02 : 0.12;
        assert.equal(Number(cost).toFixed(9), ((data.usage.prompt_tokens * usd) / 1e6).toFixed(9));
        const counted = calls.map(({ true_usage: usage }) => Object.values(usage ?? {})[0] as number);
        assert.equal(
          data.usage.prompt_tokens,
          counted.reduce((sum, tokens) => sum + tokens),
        );
      }
    });

    test("a temporary key is sent with its session token, and refused without it", async () => {
      const key = await newKey("?temporary");
      await add("br-temporary", { template: "bedrock", base_url: base(), api_key: JSON.stringify(key) });
      await addModel("br/temporary", "br-temporary", claude);
      await served("br/temporary");
      const { session_token: _, ...lacks } = key;
      await add("br-expired", { template: "bedrock", base_url: base(), api_key: JSON.stringify(lacks) });
      await addModel("br/expired", "br-expired", claude);
      await assert.rejects(served("br/expired"), APIError);
    });

    test("the workload's role serves Bedrock from a variable without a stored key, and an operator cannot write it", async () => {
      const role = { type: "aws_role", region: "us-east-1", sts_url: `${fleet.run.simulator_url}/aws-sts/` };
      await writeSecret("aws-role", role);
      await assert.rejects(
        add("br-own", { template: "bedrock", base_url: base(), api_key: JSON.stringify(role) }),
        /own identity can only be used from a variable/,
      );
      await add("br-own", { template: "bedrock", base_url: base(), variable: "PROVIDER_SECRET_AWS" });
      await addModel("br/own", "br-own", claude);
      await billsExactly("br/own", "br-own");
      assert.equal((await call<Test>("POST", "/providers/br-own/test", {})).passed, true);
      assert.ok((await logOf("aws-sts")).length <= fleetProcesses, "each process fetches one key");
    });

    test("a secret of another key is the operator's problem: the test reports AWS's words, and nothing shows the secret", async () => {
      const forged = { ...(await newKey()), secret_access_key: "forged-secret-access-key-1234" };
      await add("br-forged", { template: "bedrock", base_url: base(), api_key: JSON.stringify(forged) });
      await addModel("br/forged", "br-forged", claude);
      const tested = await call<Test>("POST", "/providers/br-forged/test", {});
      const failed = tested.steps.find(({ state }) => state === "failed");
      assert.deepEqual([failed?.step, failed?.reason], ["models", "wrong_key"]);
      assert.match(failed?.message ?? "", /The request signature we calculated does not match/);
      await assert.rejects(served("br/forged"), (error: unknown) => {
        assert.ok(error instanceof APIError);
        assert.doesNotMatch(error.message, /signature|AWS/);
        return true;
      });
      const text = JSON.stringify([tested, await call("GET", "/audit-log?limit=100")]);
      assert.doesNotMatch(text, /forged-secret/);
    });
  });

  test("the ledger is exact after requests to every cloud", async () => {
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});
