import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "@uag/catalog/types";
import { Outcome, Pricing, SettlementRule, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { explain } from "./explain.ts";
import { sampleAttempt } from "./sample-attempt.ts";
import type { Served } from "./served.ts";

const usage = { prompt_tokens: 10, completion_tokens: 20 };
const rates = new Map([
  ["input_tokens", 1_000_000n],
  ["output_tokens", 2_000_000n],
  ["images", 1_000_000_000n],
]);
const model = { price: { version: "1", rates, tiers: [] } } as unknown as Model;
const units = [
  { name: "input_tokens", quantity: 10n },
  { name: "output_tokens", quantity: 20n },
];

const attempt = (more: Partial<Served> = {}): Served => sampleAttempt({ usage, ...more });

const rawOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** A bill by the provider's usage, and a change of it. */
function bill(more: Partial<UsageEvent> = {}): UsageEvent {
  return UsageEvent.fromPartial({
    requestId: "r1",
    operation: "chat.completions",
    settlementRule: SettlementRule.COMPLETED,
    pricing: Pricing.EXACT,
    units,
    costNanoUsd: 50n,
    holdNanoUsd: 100n,
    rawUsage: rawOf(usage),
    ...more,
  } as UsageEvent);
}

const estimate = { pricing: Pricing.ESTIMATED, rawUsage: Buffer.alloc(0), costNanoUsd: 30n };
const bounded = { ...estimate, settlementRule: SettlementRule.UPPER_BOUND };
const free = { settlementRule: SettlementRule.NOTHING_OWED, costNanoUsd: 0n, units: [], rawUsage: Buffer.alloc(0) };
const unreported = [attempt({ usage: undefined })];
const unpriced = { settlementRule: SettlementRule.UNPRICED_UNITS, pricing: Pricing.UNPRICED };
const unknownUnits = [...units, { name: "oracle_requests", quantity: 7n }];
const huge = { name: "output_tokens", quantity: 1_000_000n };
const implausible = { settlementRule: SettlementRule.IMPLAUSIBLE_USAGE, units: [huge] };
const pictures = { units: [{ name: "images", quantity: 2n }], costNanoUsd: 2_000n, holdNanoUsd: 2_000n };

const explained: [what: string, bill: UsageEvent, attempts: Served[]][] = [
  ["the usage of an attempt", bill(), [attempt({ status: 500, usage: undefined }), attempt()]],
  ["the usage of a failed attempt", bill({ settlementRule: SettlementRule.FAILED_USAGE }), [attempt()]],
  ["the usages of a split request", bill({ rawUsage: rawOf([usage, usage]) }), [attempt(), attempt()]],
  ["an estimate without usage", bill(estimate), unreported],
  ["an estimate with negative usage", bill(estimate), [attempt({ usage: { prompt_tokens: -5 } })]],
  ["an estimate with usage of zero", bill(estimate), [attempt({ usage: { prompt_tokens: 0 } })]],
  ["an estimate with usage that is text", bill(estimate), [attempt({ usage: { prompt_tokens: "10" } })]],
  ["an upper bound after a broken event", bill(bounded), [attempt({ faults: { "garbage-event": 3 } })]],
  ["nothing without usage", bill(free), unreported],
  ["nothing for an error", bill(free), [attempt({ status: 500 })]],
  ["the hold for an unknown counter", bill({ ...unpriced, units: unknownUnits, costNanoUsd: 100n }), [attempt()]],
  [
    "the known cost above the hold, with an unknown counter",
    bill({ ...unpriced, units: unknownUnits, holdNanoUsd: 40n }),
    [attempt()],
  ],
  ["the hold for implausible usage", bill({ ...implausible, costNanoUsd: 100n }), [attempt()]],
  ["the images that were made", bill(pictures), [attempt({ usage: undefined, images: 2 })]],
];

for (const [what, one, attempts] of explained)
  test(`a bill for ${what} is explained`, () => {
    assert.equal(explain({ bill: one, attempts, model }), undefined);
  });

const wrong: [what: string, bill: UsageEvent, attempts: Served[], fault: RegExp][] = [
  ["nothing although the provider reported usage", bill(free), [attempt()], /provider reported .*20/],
  ["something by the rule that nothing is owed", bill({ ...free, costNanoUsd: 1n }), unreported, /nothing is owed/],
  [
    "other usage than the provider's",
    bill({ rawUsage: rawOf({ ...usage, completion_tokens: 21 }) }),
    [attempt()],
    /no attempt reported/,
  ],
  ["no usage by the rule of usage", bill({ rawUsage: Buffer.alloc(0) }), [attempt()], /no attempt reported null/],
  ["another price than the catalogue's", bill({ costNanoUsd: 49n }), [attempt()], /its units cost 50/],
  ["more than ten times its hold", bill({ holdNanoUsd: 4n }), [attempt()], /ten times its hold/],
  ["an estimate although the provider reported usage", bill(estimate), [attempt()], /provider reported/],
  ["an upper bound above the hold", bill({ ...bounded, costNanoUsd: 101n }), unreported, /its hold is 100/],
  ["an estimate of nothing", bill({ ...estimate, costNanoUsd: 0n }), unreported, /an estimate costs nothing/],
  ["less than the hold for an unknown counter", bill({ ...unpriced, units: unknownUnits }), [attempt()], /below/],
  [
    "more than hold and known cost for an unknown counter",
    bill({ ...unpriced, units: unknownUnits, costNanoUsd: 101n }),
    [attempt()],
    /neither/,
  ],
  ["an unknown counter that is known", bill({ ...unpriced, costNanoUsd: 100n }), [attempt()], /every unit has a price/],
  ["the hold for plausible usage", bill({ ...implausible, units, costNanoUsd: 100n }), [attempt()], /is plausible/],
  ["another amount than the hold", bill({ ...implausible, costNanoUsd: 99n }), [attempt()], /its hold is 100/],
  ["more images than were made", bill(pictures), [attempt({ images: 1 })], /2 images are billed/],
  ["an upper bound after a crash", bill({ ...bounded, outcome: Outcome.CRASHED }), unreported, /killed/],
  ["a checkpoint", bill({ settlementRule: SettlementRule.LAST_CHECKPOINT }), [attempt()], /killed/],
];

for (const [what, one, attempts, fault] of wrong)
  test(`a bill for ${what} is reported`, () => {
    assert.match(explain({ bill: one, attempts, model }) ?? "", fault);
  });
