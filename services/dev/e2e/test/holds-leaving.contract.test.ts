import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { price } from "@uag/catalog/price";
import type { Model } from "@uag/catalog/types";
import { inputUnits } from "@uag/catalog/units";
import { setFault } from "@uag/harness/fleet/faults";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import { leavingEdge } from "./holds/leaving-requests.ts";
import { openStage, type Stage } from "./holds/stage.ts";

const seed = Number(process.env["HOLDS_SEED"] ?? 1);
const perModel = Number(process.env["HOLDS_REQUESTS"] ?? 2);
/** Maximum difference between our tokenizer's count of a text and a provider's. */
const tokenizerDifference = 0.2;
/** For short responses: the tokens in flight when the client disconnects. */
const tokensInFlight = 64n;
let stage: Stage;

before(async () => {
  stage = await openStage();
});
after(() => stage[Symbol.asyncDispose]());

/** The charge for an attempt according to the provider's log. */
interface Charged {
  readonly rule: "whole" | "made" | "nothing";
  readonly output_tokens?: number;
}

async function chargedFor(requestId: string): Promise<Charged> {
  return await waitFor(
    async () => {
      const response = await fetch(`${stage.simulator.url}/sim/log?request_id=${requestId}`);
      const { entries } = (await response.json()) as { entries: { charged: Charged }[] };
      return entries.at(-1)?.charged;
    },
    { what: "the provider to log the request", timeoutMs: 20_000 },
  );
}

/** The cost of a provider's charge for a response with these units. */
function truthOf(model: Model, whole: readonly Unit[], charged: Charged): bigint {
  if (charged.rule !== "made") return price(whole, model.price).costNanoUsd;
  const input = whole.filter(({ name }) => inputUnits.has(name));
  const made = { name: "output_tokens", quantity: BigInt(charged.output_tokens ?? 0) };
  return price([...input, made], model.price).costNanoUsd;
}

test("a client that disconnects at any byte of a stream pays what the provider charges, for every model", async (context) => {
  const random = seededRandom(seed);
  const rules = { whole: 0, made: 0, nothing: 0 };
  for (const model of stage.catalog.models.values()) {
    for (let n = 0; n < perModel; n++) {
      const edge = leavingEdge(model, random);
      if (edge === undefined) continue;
      // The second response reads the prompt from the provider's cache, like the third.
      await stage.call(edge.operation, edge.body);
      const { booked, text, status } = await stage.call(edge.operation, edge.body);
      const whole = booked?.settlement?.units ?? [];
      assert.equal(status, 200, `${model.id}: ${text.slice(0, 300)}`);
      const bytes = 1 + Math.floor(random() * text.length * 0.9);
      const endFault = await setFault(stage.simulator.url, { slow: 2 });
      const left = await stage.leave(edge.operation, edge.body, bytes);
      const charged = await chargedFor(left.request.requestId);
      await endFault();
      rules[charged.rule]++;
      const truth = truthOf(model, whole, charged);
      const cost = left.settlement?.costNanoUsd ?? 0n;
      const slack =
        BigInt(Math.ceil(Number(truth) * tokenizerDifference)) +
        price([{ name: "output_tokens", quantity: tokensInFlight }], model.price).costNanoUsd;
      const reported = `${model.id} (seed ${seed}) after ${bytes} of ${text.length} bytes: billed ${cost}, charged ${truth} (${charged.rule}) ${edge.body.toString("utf8").slice(0, 300)}`;
      assert.ok(cost >= truth - slack, `too little: ${reported}`);
      assert.ok(cost <= truth + slack, `too much: ${reported}`);
    }
  }
  context.diagnostic(JSON.stringify(rules));
  assert.ok(rules.whole > 0 && rules.made > 0, "some streams are drained and some are cancelled");
});
