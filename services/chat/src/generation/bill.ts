import type { Admitted, Settlement } from "@uag/admission/types.ts";
import type { CapabilityEvents } from "@uag/capability/events.ts";
import type { Fields } from "@uag/capability/request/body.ts";
import { settlementRule } from "@uag/capability/settlement-rule.ts";
import { price } from "@uag/catalog/price.ts";
import type { Model, Upstream } from "@uag/catalog/types.ts";
import { crashPoint } from "@uag/kit/crash-point.ts";
import { Outcome, Pricing, type Unit } from "@uag/proto/metering/v1/usage.ts";
import { unseenTokens } from "@uag/upstreams/disconnect/unseen.ts";
import type { UsageReport } from "@uag/upstreams/generation.ts";
import { estimatePromptTokens } from "@uag/upstreams/prompt.ts";
import { countTokens } from "@uag/upstreams/tokens.ts";

const bytesPerToken = 4;
const nothing = new Uint8Array();

/** Who answered, after how many tries; undefined upstream: nobody was reached. */
export interface Answered {
  readonly upstream: Upstream | undefined;
  readonly attempts: number;
  readonly status: number;
}

export interface BillOptions {
  readonly requestId: string;
  readonly admitted: Admitted;
  readonly model: Model;
  readonly fields: Fields;
  readonly bodyBytes: number;
  /** Most tokens of the answer, all candidates. */
  readonly maxOutputTokens: number;
  readonly events: CapabilityEvents;
}

/** The bill of one admitted request: written exactly once, whatever happens. */
export class Bill {
  readonly #options: BillOptions;
  #settled: Promise<void> | undefined;

  constructor(options: BillOptions) {
    this.#options = options;
  }

  /** Nothing was delivered, nothing is owed. */
  fail(answered: Answered): Promise<void> {
    return this.#settle(
      { outcome: Outcome.FAILED, pricing: Pricing.EXACT, units: [], costNanoUsd: 0n },
      answered,
      undefined,
    );
  }

  /** By the upstream's own count. Answers the cost in nano-USD. */
  async charge(outcome: Outcome, usage: UsageReport, answered: Answered): Promise<bigint> {
    const { units, raw } = usage;
    const priced = price(units, this.#options.model.price);
    await this.#settle({ outcome, units, ...priced }, answered, raw);
    return priced.costNanoUsd;
  }

  /**
   * By what was delivered, counted by our own tokenizer, and marked so; where the upstream has counted the prompt, by that.
   * `workedMs` is how long an upstream was at work whose tokens could not all be seen. Answers the cost in nano-USD.
   */
  async estimate(
    outcome: Outcome,
    deliveredText: string,
    answered: Answered,
    { soFar, workedMs = 0 }: { soFar?: UsageReport | undefined; workedMs?: number | undefined } = {},
  ): Promise<bigint> {
    const { model, maxOutputTokens } = this.#options;
    const counted = Math.max(await countTokens(deliveredText), unseenTokens(workedMs, maxOutputTokens));
    const units = soFar === undefined ? await this.#estimated(counted) : withOutput(soFar.units, counted);
    const priced = price(units, model.price);
    const pricing = priced.pricing === Pricing.EXACT ? Pricing.ESTIMATED : priced.pricing;
    await this.#settle({ outcome, units, costNanoUsd: priced.costNanoUsd, pricing }, answered, undefined);
    return priced.costNanoUsd;
  }

  async #estimated(output: number): Promise<Unit[]> {
    const { fields, model } = this.#options;
    const input = await estimatePromptTokens(fields);
    return unitsOf(Math.min(input, model.contextTokens), output);
  }

  /** Notes what a long stream has come to, should this process die: roughly, for counting exactly takes time. */
  checkpoint(roughOutputTokens: number): void {
    const { admitted, model, bodyBytes } = this.#options;
    const units = unitsOf(Math.min(Math.ceil(bodyBytes / bytesPerToken), model.contextTokens), roughOutputTokens);
    admitted.checkpoint(units, price(units, model.price).costNanoUsd);
  }

  #settle(
    sum: Pick<Settlement, "outcome" | "pricing" | "units" | "costNanoUsd">,
    answered: Answered,
    raw: Buffer | undefined,
  ): Promise<void> {
    if (this.#settled !== undefined) return this.#settled;
    const { admitted, events, requestId, model } = this.#options;
    const estimated = raw === undefined && sum.pricing !== Pricing.EXACT;
    const settlement: Settlement = {
      ...sum,
      settlementRule: settlementRule(sum.outcome, { estimated, free: sum.units.length === 0 }),
      upstream: answered.upstream?.provider.name ?? "",
      upstreamModel: answered.upstream?.model ?? "",
      rawUsage: raw ?? nothing,
      attempts: answered.attempts,
      status: answered.status,
    };
    crashPoint("usage-known");
    events.settled({ requestId, model: model.id }, settlement);
    this.#settled = admitted.settle(settlement);
    return this.#settled;
  }
}

/** What was counted so far, with at least so many tokens of output. */
function withOutput(units: readonly Unit[], output: number): Unit[] {
  const told = units.find(({ name }) => name === "output_tokens")?.quantity ?? 0n;
  const quantity = told > BigInt(output) ? told : BigInt(output);
  const others = units.filter(({ name }) => name !== "output_tokens");
  return quantity > 0n ? [...others, { name: "output_tokens", quantity }] : others;
}

function unitsOf(input: number, output: number): Unit[] {
  const units = [{ name: "input_tokens", quantity: BigInt(input) }];
  if (output > 0) units.push({ name: "output_tokens", quantity: BigInt(output) });
  return units;
}
