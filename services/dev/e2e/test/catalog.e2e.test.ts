import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { fetchAdmin } from "@uag/harness/fleet/admin-call";
import { attemptsAt, setFault } from "@uag/harness/fleet/faults";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { pollsWithin, waitFor } from "@uag/harness/testing/wait-for";
import OpenAI, { APIError } from "openai";

/** A change must take effect in every process within a second. */
const maxPolls = pollsWithin(1);
const inputUsd = 3;
const outputUsd = 7;
const fields = {
  operations: ["chat.completions", "messages"],
  context_tokens: 128_000,
  max_output_tokens: 4_096,
  price: { input_tokens: inputUsd, output_tokens: outputUsd },
};
const id = "own/kimi";
const hello = { model: id, messages: [{ role: "user" as const, content: "Tell me a story." }], max_tokens: 200 };

const completion = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
});

interface Receipt {
  readonly event: {
    readonly cost_usd: string;
    readonly upstream: string;
    readonly price_version: string;
    readonly model: string;
  };
}
interface Provider {
  readonly id: string;
  readonly state: string;
  readonly source: string;
  readonly revision: number;
  readonly models: readonly string[];
}
interface CatalogModel {
  readonly id: string;
  readonly source: string;
  readonly enabled: boolean;
  readonly revision: number;
  readonly price_version: string;
}

describe("providers and models in the running gateway", () => {
  let fleet: TestFleet;
  let openai: OpenAI;
  /** A server of the operator's own that needs no key, and the heads of its requests. */
  let local: string;
  const received: IncomingHttpHeaders[] = [];
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "catalog-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const server = createServer((request, response) => {
      received.push(request.headers);
      request.resume().on("end", () => response.setHeader("content-type", "application/json").end(completion));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    resources.defer(() => void server.close());
    local = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const services = ["billing", "metering", "chat", "router"] as const;
    fleet = resources.use(await startTestFleet({ dataDir, services: [...services], egressAllow: local }));
    openai = new OpenAI({ baseURL: `${fleet.run.base_url}/v1`, apiKey: fleet.run.api_key, maxRetries: 0 });
  });
  after(() => resources.disposeAsync());

  const api = () => adminApi(fleet.run);
  const call = async <T>(method: string, path: string, body?: unknown) => (await api().call(method, path, body)) as T;
  const modelPath = (model: string) => `/models/${encodeURIComponent(model)}`;
  const addProvider = (more: object) =>
    call<Provider>("POST", "/providers", {
      id: "own",
      template: "openai-compatible",
      base_url: `${fleet.run.simulator_url}/vendor/v1`,
      api_key: "sk-a-key-of-our-own-server-1234",
      ...more,
    });
  const addModel = (more: object = {}) =>
    call<CatalogModel>("POST", "/models", {
      id,
      ...fields,
      upstreams: [{ provider: "own", model: "kimi-k3" }],
      ...more,
    });
  /** Asks until the change is in force; returns the last outcome. */
  const until = async (status: number, body: typeof hello = hello) =>
    await waitFor(
      async () => {
        const asked = await openai.chat.completions
          .create(body)
          .withResponse()
          .catch((error: unknown) => error);
        if (asked instanceof APIError) return asked.status === status ? { error: asked } : undefined;
        if (asked instanceof Error) throw asked;
        return status === 200 ? { asked: asked as Awaited<ReturnType<typeof ask>> } : undefined;
      },
      { maxPolls, what: `status ${status}` },
    );
  const ask = () => openai.chat.completions.create(hello).withResponse();
  const receiptOf = (request: string) =>
    waitFor(() => call<Receipt>("GET", `/usage/events/${request}`).catch(() => undefined), { what: "the receipt" });
  const costOf = ({ prompt_tokens: input, completion_tokens: output }: OpenAI.CompletionUsage): number =>
    (input * inputUsd + output * outputUsd) / 1e6;

  test("a provider and a model that are added serve the next requests within a second, without a restart, and bill exactly", async () => {
    const pids = JSON.stringify(fleet.run.pids);
    await assert.rejects(ask(), (error: unknown) => error instanceof APIError && error.code === "model_not_found");
    const provider = await addProvider({});
    assert.deepEqual([provider.source, provider.id], ["runtime", "own"]);
    const model = await addModel();
    assert.deepEqual([model.id, model.source], [id, "runtime"]);
    const { asked } = await until(200);
    const { data, response } = asked ?? assert.fail();
    const { event } = await receiptOf(response.headers.get("x-request-id") ?? "");
    assert.equal(event.upstream, "own");
    assert.equal(event.price_version, model.price_version);
    assert.equal(Number(event.cost_usd), costOf(data.usage ?? assert.fail()));
    const listed = await openai.models.list();
    assert.ok(listed.data.some((each) => each.id === id));
    assert.equal(JSON.stringify(fleet.run.pids), pids);
    assert.ok(!JSON.stringify(await call("GET", "/providers/own")).includes("a-key-of-our-own"));
  });

  test("a changed price is charged by the next requests, and a disabled model is not found until it is enabled", async () => {
    const { revision, price_version: before } = await call<CatalogModel>("GET", modelPath(id));
    const price = { input_tokens: inputUsd * 2, output_tokens: outputUsd * 2 };
    const changed = await call<CatalogModel>("PATCH", modelPath(id), { revision, price });
    assert.notEqual(changed.price_version, before);
    await waitFor(
      async () => {
        const { data, response } = await ask();
        const { event } = await receiptOf(response.headers.get("x-request-id") ?? "");
        if (event.price_version !== changed.price_version) return false;
        assert.equal(Number(event.cost_usd), 2 * costOf(data.usage ?? assert.fail()));
        return true;
      },
      { what: "the new price" },
    );
    const disabled = await call<CatalogModel>("PATCH", modelPath(id), { revision: changed.revision, enabled: false });
    assert.equal((await until(400)).error?.code, "model_not_found");
    await call("PATCH", modelPath(id), { revision: disabled.revision, enabled: true });
    await until(200);
  });

  test("a model responds to its other names within a second, is billed as itself, and its limits change while it runs", async () => {
    const { revision } = await call<CatalogModel>("GET", modelPath(id));
    const limits = { context_tokens: 4_096, max_output_tokens: 64 };
    const named = await call<CatalogModel>("PATCH", modelPath(id), { revision, aliases: ["fast"], ...limits });
    const { asked } = await until(200, { ...hello, model: "fast", max_tokens: 64 });
    const { event } = await receiptOf(asked?.response.headers.get("x-request-id") ?? "");
    assert.equal(event.model, id);
    const listed = (await openai.models.list()).data as (OpenAI.Model & {
      aliases?: string[];
      alias_of?: string;
      context_tokens?: number;
      max_output_tokens?: number;
    })[];
    assert.deepEqual(listed.find((each) => each.id === "fast")?.alias_of, id);
    assert.deepEqual(listed.find((each) => each.id === id)?.aliases, ["fast"]);
    const entry = listed.find((each) => each.id === id);
    assert.deepEqual([entry?.context_tokens, entry?.max_output_tokens], [4_096, 64]);
    const { context_tokens, max_output_tokens } = fields;
    const back = { revision: named.revision, aliases: [], context_tokens, max_output_tokens };
    await call("PATCH", modelPath(id), back);
    assert.equal((await until(400, { ...hello, model: "fast" })).error?.code, "model_not_found");
  });

  test("a change that would be invalid is refused with its field and changes nothing", async () => {
    for (const [method, path, body, param] of [
      ["POST", "/models", { id: "own/free", ...fields, price: {}, upstreams: [{ provider: "own" }] }, "price"],
      ["POST", "/models", { id, ...fields, upstreams: [{ provider: "own" }] }, "id"],
      ["POST", "/providers", { id: "inside", template: "openai-compatible", base_url: "https://10.0.0.1" }, "base_url"],
      ["POST", "/providers", { id: "own", template: "groq" }, "id"],
      ["DELETE", "/providers/openai", undefined, "id"],
    ] as const) {
      const response = await fetchAdmin(fleet.run, method, path, body);
      const { error } = (await response.json()) as { error: { param: string } };
      assert.deepEqual([error.param, response.ok], [param, false], `${method} ${path}`);
    }
    await until(200);
  });

  test("a provider without a key is called without an Authorization header", async () => {
    await addProvider({ id: "local", api_key: undefined, base_url: `http://${local}/v1` });
    await addModel({ id: "local/m", upstreams: [{ provider: "local" }] });
    await until(200, { ...hello, model: "local/m" });
    assert.equal(received.length > 0 && received.every(({ authorization }) => authorization === undefined), true);
    await call("DELETE", "/providers/local");
  });

  test("a provider deleted while a stream is under way completes and bills it, and gets no new requests", async () => {
    const { revision } = await call<CatalogModel>("GET", modelPath(id));
    const price = fields.price;
    const { price_version: version } = await call<CatalogModel>("PATCH", modelPath(id), { revision, price });
    await until(200);
    const endFault = await setFault(fleet.run.simulator_url, { slow: 150 }, { provider: "vendor" });
    const stream = await openai.chat.completions
      .create({ ...hello, stream: true, stream_options: { include_usage: true } })
      .withResponse();
    const chunks = stream.data[Symbol.asyncIterator]();
    await chunks.next();
    const deleted = await call<Provider>("DELETE", "/providers/own");
    assert.equal(deleted.state, "draining");
    await endFault();
    assert.equal((await until(400)).error?.code, "model_not_found");
    let usage: OpenAI.CompletionUsage | undefined;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) usage = next.value.usage ?? usage;
    const { event } = await receiptOf(stream.response.headers.get("x-request-id") ?? "");
    assert.equal(Number(event.cost_usd), costOf(usage ?? assert.fail()));
    assert.equal(event.price_version, version);
    await assert.rejects(addModel(), /was deleted/);
    const attempts = (await attemptsAt(fleet.run.simulator_url)).filter(({ model }) => model === "kimi-k3");
    assert.ok(attempts.length > 3);
    const { exact, violations } = await fleet.audit();
    assert.ok(exact, violations.join("\n"));
  });
});
