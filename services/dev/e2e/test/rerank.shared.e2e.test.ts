import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AuditReport } from "@uag/harness/audit/audit";
import { type Billed, readBooks } from "@uag/harness/audit/billed";
import { setFault } from "@uag/harness/fleet/faults";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { clientOf } from "./images/keys.ts";

const model = "rerank-2.5";
const query = "Which boat is on the lake?";
const documents = ["A train crosses the valley.", "A red boat is on the lake.", "The lake is deep."];

interface Ranked {
  readonly results: readonly { index: number; relevance_score: number; document?: { text: string } }[];
  readonly usage: { readonly total_tokens: number };
  readonly meta: { readonly billed_units: { readonly total_tokens: number } };
}

describe("rankings through the public server", () => {
  let fleet: SharedFleet;
  let earlier: AuditReport["comparison"];

  before(async () => {
    fleet = await openSharedFleet();
    earlier = (await fleet.audit()).comparison;
  });

  const billOf = (requestId: string | null): Promise<Billed> =>
    waitFor(async () => (await readBooks(fleet.run)).billed.find((bill) => bill.requestId === requestId));

  test("Cohere's path and the shorter one return the most relevant first, billed by the provider's tokens", async () => {
    for (const path of ["/v1/rerank", "/v2/rerank"]) {
      const { status, headers, json } = await fleet.client.post(path, { model, query, documents, top_n: 2 });
      assert.equal(status, 200);
      const { results, usage, meta } = json<Ranked>();
      assert.deepEqual([results[0]?.index, results.length], [1, 2]);
      assert.ok((results[0]?.relevance_score ?? 0) > (results[1]?.relevance_score ?? 1));
      assert.deepEqual(meta.billed_units, usage);
      const bill = await billOf(headers.get("x-request-id"));
      assert.equal(bill.costNanoUsd, BigInt(usage.total_tokens) * 50n);
      assert.deepEqual(bill.rawUsage, usage);
    }
  });

  test("documents may be objects with a text, and come back on request", async () => {
    const objects = documents.map((text, id) => ({ text, id }));
    const body = { model: "rerank-2.5-lite", query, documents: objects, return_documents: true };
    const { results } = (await fleet.client.post("/v1/rerank", body)).json<Ranked>();
    assert.deepEqual(
      results.map(({ index, document }) => document?.text === documents[index]),
      [true, true, true],
    );
  });

  test("without the provider's usage the bill is an estimate", async () => {
    const clear = await setFault(fleet.run.simulator_url, { "usage-missing": true }, { model });
    const { headers, json } = await fleet.client.post("/v1/rerank", { model, query, documents });
    await clear();
    const bill = await billOf(headers.get("x-request-id"));
    assert.deepEqual([bill.rawUsage, bill.costNanoUsd > 0n], [undefined, true]);
    assert.equal(BigInt(json<Ranked>().usage.total_tokens) * 50n, bill.costNanoUsd);
  });

  const refused: [what: string, body: object, code: string, param: string][] = [
    ["no documents", { model, query, documents: [] }, "invalid_request", "documents"],
    ["1,001 documents", { model, query, documents: Array(1_001).fill("a") }, "invalid_request", "documents"],
    ["a document without text", { model, query, documents: [{ id: 1 }] }, "invalid_request", "documents[0]"],
    ["no query", { model, documents }, "invalid_request", "query"],
    ["no results", { model, query, documents, top_n: 0 }, "invalid_request", "top_n"],
    ["an unknown model", { model: "rerank-0", query, documents }, "model_not_found", "model"],
    ["a model that does not rank", { model: "gpt-4o-mini", query, documents }, "endpoint_model_mismatch", "model"],
  ];
  for (const [what, body, code, param] of refused) {
    test(`rejects ${what} with 400, naming the field`, async () => {
      const { status, json } = await fleet.client.post("/v1/rerank", body);
      const { error } = json<{ error: { code: string; param: string } }>();
      assert.deepEqual([status, error.code, error.param.startsWith(param)], [400, code, true], error.param);
    });
  }

  test("a request without money gets a 402", async () => {
    const { status } = await (await clientOf(fleet, {})).post("/v1/rerank", { model, query, documents });
    assert.equal(status, 402);
  });

  after(async () => {
    const { violations, comparison } = await fleet.audit();
    assert.deepEqual(violations, []);
    assert.ok(comparison.byCount > earlier.byCount && comparison.byEstimate > earlier.byEstimate);
  });
});
