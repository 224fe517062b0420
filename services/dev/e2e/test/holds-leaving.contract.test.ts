import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { price } from "@uag/catalog/price";
import type { Model } from "@uag/catalog/types";
import { inputUnits } from "@uag/catalog/units";
import type { Booked } from "@uag/harness/admission";
import { setFault } from "@uag/harness/fleet/faults";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { waitFor } from "@uag/harness/testing/wait-for";
import { SettlementRule, type Unit } from "@uag/proto/metering/v1/usage.ts";
import { onAbortOf } from "@uag/providers/registry";
import type { Random } from "./holds/chat-requests.ts";
import { leavingEdge } from "./holds/leaving-requests.ts";
import { openStage, type Stage } from "./holds/stage.ts";

const seed = Number(process.env["HOLDS_SEED"] ?? 1);
const perModel = Number(process.env["HOLDS_REQUESTS"] ?? 2);
/** Maximum difference between our tokenizer's count of a text and a provider's. */
const tokenizerDifference = 0.2;
/** For short responses: the tokens in flight when the client disconnects. */
const tokensInFlight = 64n;
let stage: Stage;

afterEach(() => stage[Symbol.asyncDispose]());

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

/** A request of a model whose client disconnects in the middle, and what the provider charges for it. */
interface Departure {
  readonly left: Booked;
  readonly charged: Charged;
  readonly truth: bigint;
  /** The cost of the units that a bill may miss: {@link tokenizerDifference}, {@link tokensInFlight}. */
  readonly slack: bigint;
  readonly shown: string;
}

async function depart(model: Model, random: Random, faults: object): Promise<Departure | undefined> {
  const edge = leavingEdge(model, random);
  if (edge === undefined) return undefined;
  // The second response reads the prompt from the provider's cache, like the third.
  await stage.call(edge.operation, edge.body);
  const { booked, text, status } = await stage.call(edge.operation, edge.body);
  const whole = booked?.settlement?.units ?? [];
  assert.equal(status, 200, `${model.id}: ${text.slice(0, 300)}`);
  const bytes = 1 + Math.floor(random() * text.length * 0.9);
  const endFault = await setFault(stage.simulator.url, { slow: 2, ...faults });
  const left = await stage.leave(edge.operation, edge.body, bytes);
  const charged = await chargedFor(left.request.requestId);
  await endFault();
  const truth = truthOf(model, whole, charged);
  const slack =
    BigInt(Math.ceil(Number(truth) * tokenizerDifference)) +
    price([{ name: "output_tokens", quantity: tokensInFlight }], model.price).costNanoUsd;
  const { costNanoUsd = 0n, settlementRule } = left.settlement ?? {};
  const shown = `${model.id} (seed ${seed}) after ${bytes} of ${text.length} bytes: billed ${costNanoUsd} by rule ${settlementRule}, held ${left.request.holdNanoUsd}, charged ${truth} (${charged.rule}) ${edge.body.toString("utf8").slice(0, 300)}`;
  return { left, charged, truth, slack, shown };
}

test("a client that disconnects at any byte of a stream pays what the provider charges, for every model", async (context) => {
  stage = await openStage();
  const random = seededRandom(seed);
  const rules = { whole: 0, made: 0, nothing: 0 };
  for (const model of stage.catalog.models.values()) {
    for (let n = 0; n < perModel; n++) {
      const departure = await depart(model, random, {});
      if (departure === undefined) continue;
      const { left, charged, truth, slack, shown } = departure;
      rules[charged.rule]++;
      const cost = left.settlement?.costNanoUsd ?? 0n;
      assert.ok(cost >= truth - slack, `too little: ${shown}`);
      assert.ok(cost <= truth + slack, `too much: ${shown}`);
    }
  }
  context.diagnostic(JSON.stringify(rules));
  assert.ok(rules.whole > 0 && rules.made > 0, "some streams are drained and some are cancelled");
});

test("a client that disconnects pays at least what the provider charges when the drain fails, and at most its hold, for every model", async (context) => {
  // The first bytes after a disconnect exceed the limit.
  stage = await openStage({ maxBytes: 1 });
  const random = seededRandom(seed + 1);
  const bills = { bounded: 0, estimated: 0 };
  for (const model of stage.catalog.models.values()) {
    for (let n = 0; n < perModel; n++) {
      // A provider that continues, although its connection is closed, charges for the whole response.
      const continues = model.upstreams.some(({ provider }) => onAbortOf(provider) === "continues");
      const departure = await depart(model, random, continues ? { "abort-bills": 1 } : {});
      if (departure === undefined) continue;
      const { left, truth, slack, shown } = departure;
      const { costNanoUsd = 0n, settlementRule } = left.settlement ?? {};
      // On a busy machine the last bytes may arrive before the disconnect: then the bill is exact.
      if (settlementRule === SettlementRule.COMPLETED && costNanoUsd === truth) continue;
      const isBounded = settlementRule === SettlementRule.UPPER_BOUND;
      bills[isBounded ? "bounded" : "estimated"]++;
      assert.ok(costNanoUsd >= truth - (isBounded ? 0n : slack), `too little: ${shown}`);
      assert.ok(costNanoUsd <= left.request.holdNanoUsd, `above its hold: ${shown}`);
      assert.ok(isBounded || !continues, `a provider that continues may charge for all output: ${shown}`);
    }
  }
  context.diagnostic(JSON.stringify(bills));
  assert.ok(bills.bounded > 0 && bills.estimated > 0, "some bills are bounded and some are estimates");
});
