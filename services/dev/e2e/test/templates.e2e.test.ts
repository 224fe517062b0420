import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { providerTemplates } from "@uag/catalog/templates";
import { adminApi } from "@uag/cli/commands/admin-api";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import OpenAI, { APIError } from "openai";

const inputUsd = 3;
const outputUsd = 7;
const vendors = ["openrouter", "groq", "mistral", "together", "fireworks", "ollama", "vllm"] as const;
const withoutKey: ReadonlySet<string> = new Set(["ollama", "vllm"]);
const fields = {
  operations: ["chat.completions", "messages", "responses"],
  context_tokens: 128_000,
  max_output_tokens: 4_096,
  price: { input_tokens: inputUsd, cached_input_tokens: inputUsd, output_tokens: outputUsd },
};
const messages = [{ role: "user" as const, content: "Tell me a story." }];

describe("providers that are created from a template", () => {
  let fleet: TestFleet;
  let openai: OpenAI;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "templates-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const services = ["billing", "metering", "chat", "router"] as const;
    fleet = resources.use(await startTestFleet({ dataDir, single: true, services: [...services] }));
    openai = new OpenAI({ baseURL: `${fleet.run.base_url}/v1`, apiKey: fleet.run.api_key, maxRetries: 0 });
  });
  after(() => resources.disposeAsync());

  const call = async <T>(method: string, path: string, body?: unknown) =>
    (await adminApi(fleet.run).call(method, path, body)) as T;
  const costOf = async (request: string | null): Promise<number> => {
    const path = `/usage/events/${request}`;
    const receipt = () => call<{ event: { cost_usd: string } }>("GET", path).catch(() => undefined);
    return Number((await waitFor(receipt, { what: "the receipt" })).event.cost_usd);
  };
  const usdOf = ({ prompt_tokens: input, completion_tokens: output }: OpenAI.CompletionUsage): number =>
    (input * inputUsd + output * outputUsd) / 1e6;

  for (const vendor of vendors) {
    test(`${vendor} serves requests and streams with fields that OpenAI's SDK sends, billed by its own usage`, async () => {
      const { pathname } = new URL(providerTemplates[vendor]?.base_url ?? assert.fail());
      const key = withoutKey.has(vendor) ? {} : { api_key: `key-of-${vendor}-1234` };
      const baseUrl = `${fleet.run.simulator_url}/${vendor}${pathname}`;
      await call("POST", "/providers", { id: `t-${vendor}`, template: vendor, base_url: baseUrl, ...key });
      const id = `${vendor}/m`;
      await call("POST", "/models", {
        id,
        ...fields,
        upstreams: [{ provider: `t-${vendor}`, model: "deepseek-flash" }],
      });
      assert.equal((await call<{ passed: boolean }>("POST", `/providers/t-${vendor}/test`, {})).passed, true);
      const request = { model: id, messages, max_completion_tokens: 40, user: "u-1", seed: 1 };
      const { data, response } = await waitFor(
        () =>
          openai.chat.completions
            .create(request)
            .withResponse()
            .catch((error: unknown) => {
              if (error instanceof APIError && error.code === "model_not_found") return undefined;
              throw error;
            }),
        { what: id },
      );
      const { usage = assert.fail() } = data;
      assert.ok(usage.completion_tokens <= 40);
      assert.equal(await costOf(response.headers.get("x-request-id")), usdOf(usage));
      for (const includeUsage of [true, false]) {
        const streamed = await openai.chat.completions
          .create({ ...request, stream: true, stream_options: { include_usage: includeUsage } })
          .withResponse();
        for await (const _ of streamed.data);
        assert.equal(await costOf(streamed.response.headers.get("x-request-id")), usdOf(usage));
      }
      const unknown = `${vendor}/unknown`;
      const upstreams = [{ provider: `t-${vendor}`, model: "unknown-model" }];
      await call("POST", "/models", { id: unknown, ...fields, upstreams });
      await waitFor(
        () =>
          openai.chat.completions.create({ ...request, model: unknown }).then(
            () => assert.fail("an unknown model was served"),
            (error: unknown) => (error instanceof APIError && error.code !== "model_not_found" ? error : undefined),
          ),
        { what: "the vendor's error" },
      ).then((error) => assert.match(error.message, /Model Not Exist/));
    });
  }

  test("the ledger is exact after requests to every vendor", async () => {
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});
