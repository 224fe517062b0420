import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { modelOperationOf } from "@uag/contract/routes";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { edges } from "./holds/edges.ts";
import { openStage, type Stage } from "./holds/stage.ts";

const seed = Number(process.env["HOLDS_SEED"] ?? 1);
const perModel = Number(process.env["HOLDS_REQUESTS"] ?? 4);
let stage: Stage;

before(async () => {
  stage = await openStage();
});
after(() => stage[Symbol.asyncDispose]());

for (const [operation, edgeOf] of Object.entries(edges)) {
  test(`no ${operation} request for any model can cost more than its hold`, async (context) => {
    const random = seededRandom(seed);
    const worst = { ratio: 0, model: "", body: "" };
    const silent: string[] = [];
    for (const model of stage.catalog.models.values()) {
      if (!model.operations.has(modelOperationOf(operation))) continue;
      let responses = 0;
      let refusal = "";
      for (let n = 0; n < perModel; n++) {
        const edge = await edgeOf(model, random);
        const { status, text, booked } = await stage.call(edge.operation, edge.body, edge.contentType, [], edge.target);
        if (status !== 200) refusal = `${status} ${text.slice(0, 300)}`;
        if (booked?.settlement === undefined) continue;
        const { request, settlement } = booked;
        const body = edge.contentType === undefined ? edge.body.toString("utf8").slice(0, 500) : "a form";
        const reported = `${model.id} (seed ${seed}) ${body}: ${JSON.stringify(settlement.units.map((unit) => `${unit.quantity} ${unit.name}`))}`;
        assert.notEqual(settlement.pricing, Pricing.UNPRICED, `unpriced: ${reported}`);
        const { costNanoUsd } = settlement;
        assert.ok(costNanoUsd <= request.holdNanoUsd, `${costNanoUsd} > ${request.holdNanoUsd} held: ${reported}`);
        if (costNanoUsd > 0n) responses++;
        const ratio = Number(costNanoUsd) / Number(request.holdNanoUsd || 1n);
        if (ratio > worst.ratio) Object.assign(worst, { ratio, model: model.id, body });
      }
      if (responses === 0) silent.push(`${model.id}: ${refusal}`);
    }
    context.diagnostic(`worst ratio of cost to hold: ${worst.ratio.toFixed(3)}, ${worst.model}`);
    assert.deepEqual(silent, [], "every model served a request");
  });
}
