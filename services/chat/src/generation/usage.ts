import type { Model } from "@uag/catalog/types";
import type { UsageCharge } from "@uag/pipeline/bill";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import { unseenTokens } from "@uag/providers/disconnect/unseen";
import { estimatePromptTokens } from "@uag/providers/prompt";
import { countTokens } from "@uag/providers/tokens";
import type { UsageReport } from "@uag/providers/usage-report";
import type { GenerationRequest } from "../format.ts";

const bytesPerToken = 4;

/** What is known about a response whose tokens the upstream did not count completely. */
export interface Uncounted {
  /** The delivered text. */
  readonly text: string;
  /** What the upstream has counted so far. */
  readonly soFar?: UsageReport | undefined;
  /** How long an upstream worked on tokens that were not all visible, milliseconds. */
  readonly workedMs?: number | undefined;
}

/**
 * Counts what was delivered with our own tokenizer; uses the upstream's prompt count if there is
 * one.
 */
export async function estimatedUsage(
  { model, request }: { readonly model: Model; readonly request: GenerationRequest },
  { text, soFar, workedMs = 0 }: Uncounted,
): Promise<UsageCharge> {
  const output = Math.max(await countTokens(text), unseenTokens(workedMs, maxOutputTokens(model, request)));
  if (soFar !== undefined) return { units: withOutput(soFar.units, output), estimated: true };
  const input = await estimatePromptTokens(request.fields);
  return { units: unitsOf(Math.min(input, model.contextTokens), output), estimated: true };
}

/** Estimates a long stream's usage so far from its bytes. */
export function roughUnits(
  model: Model,
  { bodyBytes, outputTokens }: { readonly bodyBytes: number; readonly outputTokens: number },
): Unit[] {
  return unitsOf(Math.min(Math.ceil(bodyBytes / bytesPerToken), model.contextTokens), outputTokens);
}

/** Maximum output tokens over all candidates. */
function maxOutputTokens(model: Model, { outputCap, candidates }: GenerationRequest): number {
  return Math.min(outputCap ?? model.maxOutputTokens, model.maxOutputTokens) * candidates;
}

/** The units counted so far, with at least this many output tokens. */
function withOutput(units: readonly Unit[], output: number): Unit[] {
  const reported = units.find(({ name }) => name === "output_tokens")?.quantity ?? 0n;
  const quantity = reported > BigInt(output) ? reported : BigInt(output);
  const others = units.filter(({ name }) => name !== "output_tokens");
  return quantity > 0n ? [...others, { name: "output_tokens", quantity }] : others;
}

function unitsOf(input: number, output: number): Unit[] {
  const units = [{ name: "input_tokens", quantity: BigInt(input) }];
  if (output > 0) units.push({ name: "output_tokens", quantity: BigInt(output) });
  return units;
}
