import { dearestUnit, type Limit } from "@uag/catalog/price";
import type { Model, Upstream } from "@uag/catalog/types";
import { inputUnits, outputUnits, type UnitName } from "@uag/catalog/units";
import type { UsageCharge } from "@uag/pipeline/bill";
import type { AdmittedRequest } from "@uag/pipeline/operation/operation-spec";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import { unseenTokens } from "@uag/providers/disconnect/unseen";
import type { UpstreamFailure } from "@uag/providers/failure";
import { estimatePromptTokens } from "@uag/providers/prompt";
import { hiddenUnitsOf, onAbortOf } from "@uag/providers/registry";
import { countTokens } from "@uag/providers/tokens";
import type { UsageReport } from "@uag/providers/usage-report";
import { type GenerationRequest, runsTools } from "../format.ts";
import { admittedLimits, type GenerationSize } from "./admission-sizes.ts";
import type { GenerationLimits } from "./size.ts";

type Admitted = Pick<AdmittedRequest<GenerationRequest, GenerationSize>, "model" | "request" | "size">;

/** What is known about a response whose tokens the upstream did not count completely. */
export interface Uncounted {
  /** The received text. */
  readonly text: string;
  /** What the upstream has counted so far. */
  readonly soFar?: UsageReport | undefined;
  readonly upstream: Upstream;
  /** Why the response is not complete; undefined when it is. */
  readonly failure?: UpstreamFailure | undefined;
  /** How long the upstream worked on a response of which nothing was received, milliseconds. */
  readonly workedMs?: number | undefined;
}

/**
 * Bills a response without the upstream's usage: what it shows by our own tokenizer, with the
 * upstream's prompt count if there is one; what it cannot show by the upper bound that was admitted.
 */
export async function estimatedUsage(admitted: Admitted, uncounted: Uncounted): Promise<UsageCharge> {
  const known = await knownUnits(admitted, uncounted);
  const hidden = hiddenIn(admitted, uncounted);
  if (hidden.size === 0) return { units: known, estimated: true };
  const limits = await admittedLimits(admitted, admitted.size);
  return { ...withBounds(known, { limits, hidden, model: admitted.model }), estimated: true };
}

/** What bounds the usage of a request that its response cannot show. */
export interface Bounds {
  readonly limits: GenerationLimits;
  /** The units that the response cannot show. */
  readonly hidden: ReadonlySet<string>;
  readonly model: Model;
}

/** The known units, and those that are hidden at their upper bound. */
export function withBounds(
  known: readonly Unit[],
  { limits: { input, output, uses }, hidden, model }: Bounds,
): { readonly units: Unit[]; readonly isUpperBound: boolean } {
  const isOf = (names: ReadonlySet<string>) => (unit: Unit) => names.has(unit.name);
  const bounded = [
    group(known.filter(isOf(inputUnits)), { limit: input, base: "input_tokens", hidden, model }),
    group(known.filter(isOf(outputUnits)), { limit: output, base: "output_tokens", hidden, model }),
    ...uses.map((limit) => group([], { limit, base: limit.anyOf[0] as UnitName, hidden, model })),
  ];
  const others = known.filter(({ name }) => !inputUnits.has(name) && !outputUnits.has(name) && !hidden.has(name));
  const isUpperBound = bounded.some((each) => each.isUpperBound);
  return { units: [...bounded.flatMap(({ units }) => units), ...others], isUpperBound };
}

/** The units that no part of a complete response shows. */
export function hiddenUnitsIn({ model, request }: Admitted, upstream: Upstream): ReadonlySet<string> {
  return hiddenUnitsOf({ ...request, model, runsTools: runsTools(request) }, upstream);
}

/** Whether the upstream may have generated output, or searched, without sending anything of it. */
export function mayWorkUnseen(admitted: Admitted, upstream: Upstream): boolean {
  const hidden = hiddenUnitsIn(admitted, upstream);
  return hidden.has("output_tokens") || hidden.has("web_searches");
}

/**
 * The units that the response cannot show. One that a provider ended with an error of its own has no
 * more visible output than was sent. Any other interrupted response may have been completed without
 * us, unless it is a stream that the provider stops when it is closed; by the time the gateway closes
 * a stream that it cannot read, the rest may be sent already.
 */
function hiddenIn(admitted: Admitted, { upstream, failure }: Uncounted): ReadonlySet<string> {
  const hidden = hiddenUnitsIn(admitted, upstream);
  if (failure === undefined || failure.reported !== undefined) return hidden;
  const stops = admitted.request.stream && onAbortOf(upstream.provider) === "stops" && failure.received === undefined;
  return stops ? hidden : new Set([...hidden, "output_tokens"]);
}

interface Bounding {
  readonly limit: Limit;
  /** The unit whose quantity is known unless it is hidden. */
  readonly base: UnitName;
  readonly hidden: ReadonlySet<string>;
  readonly model: Model;
}

/**
 * The units of one limit: as they are known, or all of them as the unit that costs most. Their
 * quantity is the limit's if it is unknown.
 */
function group(
  known: readonly Unit[],
  { limit, base, hidden, model }: Bounding,
): { readonly units: readonly Unit[]; readonly isUpperBound: boolean } {
  const isUnknown = hidden.has(base);
  const name = dearestUnit([base, ...limit.anyOf.filter((unit) => hidden.has(unit))], model.price);
  if (!isUnknown && name === base) return { units: known, isUpperBound: false };
  const counted = known.reduce((sum, { quantity }) => sum + quantity, 0n);
  const quantity = isUnknown && limit.quantity > counted ? limit.quantity : counted;
  return { units: quantity > 0n ? [{ name, quantity }] : [], isUpperBound: true };
}

async function knownUnits({ model, request }: Admitted, { text, soFar, workedMs = 0 }: Uncounted): Promise<Unit[]> {
  const output = Math.max(await countTokens(text), unseenTokens(workedMs, maxOutputTokens(model, request)));
  if (soFar !== undefined) return withOutput(soFar.units, output);
  const input = await estimatePromptTokens(request.fields);
  return unitsOf(Math.min(input, model.contextTokens), output);
}

/** Maximum output tokens over all candidates. */
function maxOutputTokens(model: Model, { outputCap, candidates }: GenerationRequest): number {
  return Math.min(outputCap ?? model.maxOutputTokens, model.maxOutputTokens) * candidates;
}

/** The units counted so far, with at least this many output tokens. */
export function withOutput(units: readonly Unit[], output: number): Unit[] {
  const reported = units.find(({ name }) => name === "output_tokens")?.quantity ?? 0n;
  const quantity = reported > BigInt(output) ? reported : BigInt(output);
  const others = units.filter(({ name }) => name !== "output_tokens");
  return quantity > 0n ? [...others, { name: "output_tokens", quantity }] : others;
}

/** Uncached input, and output. */
export function unitsOf(input: number, output: number): Unit[] {
  const units = [{ name: "input_tokens", quantity: BigInt(input) }];
  if (output > 0) units.push({ name: "output_tokens", quantity: BigInt(output) });
  return units;
}
