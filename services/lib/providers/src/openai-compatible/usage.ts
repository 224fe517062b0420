import type { Model } from "@uag/catalog/types";
import type { UnitName } from "@uag/catalog/units";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { Tokens } from "../conversation/events.ts";
import { type Fields, fieldsOf, listOf } from "../conversation/fields.ts";
import type { GenerationCall } from "../generation.ts";
import type { UsageReport } from "../usage-report.ts";
import { otherCounters } from "./other-counters.ts";

/**
 * Splits an OpenAI-like usage object into disjoint units. Cached, audio, image and video tokens are
 * included in `prompt_tokens`, reasoning in `completion_tokens` (OpenAI's reference, chat
 * completion object); where a vendor's own total shows that reasoning is separate from
 * `completion_tokens` (xAI), it is added.
 * @param thoughtUnit the output unit for responses that involved thinking
 * @returns undefined when the object does not report usage
 */
export function unitsOfUsage(usage: unknown, thoughtUnit: OutputUnit = "output_tokens"): Unit[] | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = count(usage["prompt_tokens"] ?? restOf(usage, "completion_tokens"));
  const completion = count(usage["completion_tokens"] ?? restOf(usage, "prompt_tokens"));
  if (prompt === undefined || completion === undefined || prompt + completion === 0) return undefined;
  const units: Unit[] = [];
  splitPrompt(units, prompt, usage);
  const details = isObject(usage["completion_tokens_details"]) ? usage["completion_tokens_details"] : {};
  const reasoning = count(details["reasoning_tokens"]) ?? count(usage["reasoning_tokens"]) ?? 0;
  const generated = completion + reasoningBeside(usage, prompt, completion, reasoning);
  const audio = Math.min(count(details["audio_tokens"]) ?? 0, generated);
  add(units, reasoning > 0 ? thoughtUnit : "output_tokens", generated - audio);
  add(units, "audio_output_tokens", audio);
  for (const [name, quantity] of otherCounters(usage)) add(units, name, quantity);
  return units;
}

/** The usage that a response object of OpenAI's protocol reports. */
export function openAiUsageIn(value: Fields, { model }: Pick<GenerationCall, "model">): UsageReport | undefined {
  const usage = usageIn(value);
  const units = unitsOfUsage(usage, thoughtUnitOf(model));
  return units && { units, raw: Buffer.from(JSON.stringify(usage)) };
}

/**
 * The usage object of a response or chunk: beside the choices, or in Groq's `x_groq`, or in
 * Moonshot's last choice.
 */
export function usageIn(value: Fields): unknown {
  const choice = fieldsOf(listOf(value["choices"]).at(-1));
  return value["usage"] ?? fieldsOf(value["x_groq"])["usage"] ?? choice["usage"];
}

type OutputUnit = Extract<UnitName, "output_tokens" | "thinking_output_tokens">;

/**
 * DashScope charges more for the whole response when the model has thought: this applies to models
 * with a price for that.
 */
export function thoughtUnitOf({ price }: Pick<Model, "price">): OutputUnit {
  return price.rates.has("thinking_output_tokens") ? "thinking_output_tokens" : "output_tokens";
}

/**
 * The usage in OpenAI's form, with reasoning included in `completion_tokens`, if a vendor's own
 * total shows that it is separate; undefined when nothing changes.
 */
export function usageWithReasoningInside(usage: unknown): object | undefined {
  if (!isObject(usage) || !isObject(usage["completion_tokens_details"])) return undefined;
  const prompt = count(usage["prompt_tokens"]);
  const completion = count(usage["completion_tokens"]);
  if (prompt === undefined || completion === undefined) return undefined;
  const reasoning = count(usage["completion_tokens_details"]["reasoning_tokens"]) ?? 0;
  const beside = reasoningBeside(usage, prompt, completion, reasoning);
  return beside === 0 ? undefined : { ...usage, completion_tokens: completion + beside };
}

/** The same usage for other formats; `units` is the result of {@link unitsOfUsage}. */
export function tokensOfUsage(usage: unknown, units: readonly Unit[]): Tokens {
  const of = (...names: UnitName[]): number =>
    units.reduce((sum, { name, quantity }) => sum + ((names as string[]).includes(name) ? Number(quantity) : 0), 0);
  const details = isObject(usage) ? usage["completion_tokens_details"] : undefined;
  return {
    input: of("input_tokens", "audio_input_tokens", "image_input_tokens", "video_input_tokens"),
    cacheRead: of("cached_input_tokens"),
    cacheWrite5m: of("cache_write_5m_tokens"),
    cacheWrite1h: 0,
    output: of("output_tokens", "thinking_output_tokens", "audio_output_tokens"),
    thinking: (isObject(details) ? count(details["reasoning_tokens"]) : undefined) ?? 0,
  };
}

function splitPrompt(units: Unit[], prompt: number, usage: Record<string, unknown>): void {
  const details = isObject(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  let rest = prompt;
  const part = (name: UnitName, ...counts: unknown[]): void => {
    const first = counts.map(count).find((value) => value !== undefined) ?? 0;
    const taken = Math.min(first, rest);
    rest -= taken;
    add(units, name, taken);
  };
  // DeepSeek, Moonshot and Mistral use other names for cache reads; DashScope for cache writes.
  part(
    "cached_input_tokens",
    details["cached_tokens"],
    usage["prompt_cache_hit_tokens"],
    usage["cached_tokens"],
    usage["num_cached_tokens"],
  );
  part("cache_write_5m_tokens", details["cache_write_tokens"], details["cache_creation_input_tokens"]);
  part("audio_input_tokens", details["audio_tokens"]);
  part("image_input_tokens", details["image_tokens"]);
  part("video_input_tokens", details["video_tokens"]);
  add(units, "input_tokens", rest);
}

/** What the total leaves for a count that the vendor leaves out. */
function restOf(usage: Record<string, unknown>, other: string): number | undefined {
  const total = count(usage["total_tokens"]);
  return total === undefined ? undefined : total - (count(usage[other]) ?? 0);
}

function reasoningBeside(
  usage: Record<string, unknown>,
  prompt: number,
  completion: number,
  reasoning: number,
): number {
  const total = count(usage["total_tokens"]);
  return total !== undefined && total === prompt + completion + reasoning ? reasoning : 0;
}

function add(units: Unit[], name: string, quantity: number): void {
  if (quantity > 0) units.push({ name, quantity: BigInt(quantity) });
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
