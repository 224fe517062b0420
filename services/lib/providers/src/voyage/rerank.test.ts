import assert from "node:assert/strict";
import { test } from "node:test";
import { firstUpstream, testModel } from "../../test/support.ts";
import type { RerankCall } from "../rerank/types.ts";
import { voyageRerank } from "./rerank.ts";

const upstream = firstUpstream(testModel("", "voyage"));
const call: RerankCall = { requestId: "req_1", query: "q", documents: ["a", "b", "c"], results: 2 };
const decode = (body: object) =>
  voyageRerank.decode(Buffer.from(JSON.stringify(body)), call, upstream, () => undefined);
const result = (index: number, relevanceScore: number) => ({ index, relevance_score: relevanceScore });

test("asks Voyage for as many results as the client", () => {
  const { path, body } = voyageRerank.encode(call, upstream);
  assert.equal(path, "/v1/rerank");
  assert.deepEqual(JSON.parse(String(body)), { model: "real", query: "q", documents: ["a", "b", "c"], top_k: 2 });
});

test("orders the results by relevance, and reads the token count", () => {
  const { ranked, usage } = decode({ data: [result(2, 0.1), result(0, 0.8)], usage: { total_tokens: 7 } });
  assert.deepEqual(ranked, [
    { index: 0, score: 0.8 },
    { index: 2, score: 0.1 },
  ]);
  assert.deepEqual(usage?.units, [{ name: "input_tokens", quantity: 7n }]);
});

test("an error under status 200 is reported as the provider's error", () => {
  assert.throws(() => decode({ detail: "too many documents" }), { name: "UpstreamFailure", kind: "client" });
});
