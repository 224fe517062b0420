import assert from "node:assert/strict";
import { test } from "node:test";
import { type CollectedSpan, type Collector, startCollector } from "@uag/harness/fleet/collector";
import { setFault } from "@uag/harness/fleet/faults";
import { type TestFleet, withFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const clientSpan = "00f067aa0ba902b7";
const secret = "the client's confidential words";
const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: secret }] };

/** Sends a chat request, and returns its spans once as many as expected have arrived. */
async function traced(
  { client }: TestFleet,
  collector: Collector,
  { spans: wanted, headers = {} }: { spans: number; headers?: Record<string, string> },
): Promise<CollectedSpan[]> {
  const response = await client.post("/v1/chat/completions", body, { headers });
  assert.equal(response.status, 200, response.text);
  const id = response.headers.get("x-request-id");
  return waitFor(
    () => {
      const roots = collector.spans.filter(({ attributes }) => attributes["gateway.request_id"] === id);
      const found = collector.spans.filter((span) => roots.some((root) => root.traceId === span.traceId));
      return found.length >= wanted ? found : undefined;
    },
    { what: `${wanted} spans of ${id}` },
  );
}

function only(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const found = spans.filter((span) => span.name === name);
  assert.equal(found.length, 1, `${name} among ${spans.map((span) => span.name).join(", ")}`);
  return found[0] as CollectedSpan;
}

test("a request is one trace without content, from the client through router and service to the provider, and through metering to the ledger", async () => {
  await using collector = await startCollector();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
    OTEL_METRIC_EXPORT_TIMEOUT: "900",
  };
  await withFleet({ env }, async (fleet) => {
    const traceparent = `00-${traceId}-${clientSpan}-01`;
    const spans = await traced(fleet, collector, { spans: 5, headers: { traceparent } });
    assert.deepEqual([...new Set(spans.map((span) => span.traceId))], [traceId]);
    const server = only(spans, "POST /v1/chat/completions");
    assert.deepEqual([server.service, server.kind, server.parentSpanId], ["router", 2, clientSpan]);
    assert.equal(server.attributes["http.response.status_code"], 200);
    const [chat, call] = [only(spans, "chat gpt-4o-mini"), only(spans, "POST")];
    assert.deepEqual([chat.service, chat.parentSpanId, call.parentSpanId], ["chat", server.spanId, chat.spanId]);
    assert.equal(spans.filter(({ attributes }) => "gen_ai.operation.name" in attributes).length, 1, "one inference");
    assert.deepEqual([call.kind, call.attributes["http.request.method"]], [3, "POST"]);
    assert.equal(chat.attributes["gen_ai.operation.name"], "chat");
    assert.equal(chat.attributes["gen_ai.provider.name"], "openai");
    assert.ok(Number(chat.attributes["gen_ai.usage.output_tokens"]) > 0);
    assert.match(String(chat.attributes["gateway.cost_usd"]), /^0\.\d+$/);

    const usageOf = (type: string) =>
      collector.points.find(
        ({ metric, attributes }) => metric === "gen_ai.client.token.usage" && attributes["gen_ai.token.type"] === type,
      );
    const output = await waitFor(() => usageOf("output"), { what: "the metrics of the inference" });
    assert.deepEqual([output.count, output.sum], [1, chat.attributes["gen_ai.usage.output_tokens"]]);
    assert.equal(usageOf("input")?.sum, chat.attributes["gen_ai.usage.input_tokens"]);
    const duration = collector.points.find(({ metric }) => metric === "gen_ai.client.operation.duration");
    assert.deepEqual(duration?.attributes, {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "gpt-4o-mini",
      "gen_ai.provider.name": "openai",
      "gen_ai.response.model": "gpt-4o-mini",
    });
    assert.ok(duration.sum > 0 && duration.sum < 60, String(duration.sum));

    const process = only(spans, "process usage.v1");
    assert.deepEqual([process.service, process.kind, process.parentSpanId], ["metering", 5, server.spanId]);
    assert.equal(process.attributes["gateway.request_id"], server.attributes["gateway.request_id"]);
    const settle = only(spans, "billing.v1.LedgerService/Settle");
    assert.deepEqual([settle.service, settle.kind, settle.parentSpanId], ["billing", 2, process.spanId]);

    await using _fault = {
      [Symbol.asyncDispose]: await setFault(fleet.run.simulator_url, { status: 503 }, { count: 1 }),
    };
    const retried = await traced(fleet, collector, { spans: 6 });
    const failed = retried.filter(({ attributes }) => attributes["error.type"] === "transient");
    assert.deepEqual(
      failed.map(({ attributes, status }) => [attributes["http.response.status_code"], status?.code]),
      [[503, 2]],
    );

    for (const sent of collector.bodies) {
      assert.ok(!sent.includes("confidential words") && !sent.includes("built-in simulator"), "content is in a trace");
      assert.ok(!sent.includes(fleet.run.api_key), "a key is in a trace");
    }
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});

test("requests settled together are traced separately, and a request that is not sampled is not traced", async () => {
  await using collector = await startCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  await withFleet({ env }, async ({ client }) => {
    const send = async (traceparent: string) => {
      const response = await client.post("/v1/chat/completions", body, { headers: { traceparent } });
      assert.equal(response.status, 200, response.text);
      return response.headers.get("x-request-id");
    };
    const traces = Array.from({ length: 8 }, (_, n) => `${n + 1}`.repeat(32));
    const unsampled = await send(`00-${traceId}-${clientSpan}-00`);
    const ids = await Promise.all(traces.map((trace) => send(`00-${trace}-${clientSpan}-01`)));
    const processed = await waitFor(
      () => {
        const found = collector.spans.filter(({ name }) => name === "process usage.v1");
        return found.length >= traces.length ? found : undefined;
      },
      { what: "a span for each request" },
    );
    assert.deepEqual(processed.map((span) => span.attributes["gateway.request_id"]).sort(), ids.toSorted());
    assert.deepEqual(processed.map((span) => span.traceId).sort(), traces);
    const settles = collector.spans.filter(({ name }) => name === "billing.v1.LedgerService/Settle");
    for (const { spanId, links = [] } of processed) {
      // Either billing's span is its child, or it links to the span that is billing's parent.
      const parents = [spanId, ...links.map((link) => link.spanId)];
      assert.ok(settles.some(({ parentSpanId = "" }) => parents.includes(parentSpanId)));
    }
    assert.equal(collector.bodies.filter((text) => text.includes(String(unsampled))).length, 0);
  });
});
