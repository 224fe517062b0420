import type { Model } from "@uag/catalog/types.ts";
import type { UnitName } from "@uag/catalog/units.ts";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { Tokens } from "../conversation/events.ts";

/**
 * Takes an OpenAI-like usage object apart into units that do not contain one another. Cached,
 * audio, image and video tokens are parts of `prompt_tokens`, reasoning is a part of
 * `completion_tokens` (OpenAI's reference, chat completion object); where a vendor's own total
 * shows that reasoning stands beside `completion_tokens` (xAI), it is added.
 * @param thoughtUnit what the output of an answer that was thought about is counted as
 * @returns undefined when the object does not say what was used
 */
export function unitsOfUsage(usage: unknown, thoughtUnit: OutputUnit = "output_tokens"): Unit[] | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = count(usage["prompt_tokens"]);
  const completion = count(usage["completion_tokens"]);
  if (prompt === undefined || completion === undefined || prompt + completion === 0) return undefined;
  const units: Unit[] = [];
  splitPrompt(units, prompt, usage);
  const details = isObject(usage["completion_tokens_details"]) ? usage["completion_tokens_details"] : {};
  const reasoning = count(details["reasoning_tokens"]) ?? 0;
  const generated = completion + reasoningBeside(usage, prompt, completion, reasoning);
  const audio = Math.min(count(details["audio_tokens"]) ?? 0, generated);
  add(units, reasoning > 0 ? thoughtUnit : "output_tokens", generated - audio);
  add(units, "audio_output_tokens", audio);
  return units;
}

type OutputUnit = Extract<UnitName, "output_tokens" | "thinking_output_tokens">;

/**
 * DashScope bills the whole of an answer higher when the model has thought about it: the models
 * that have a price for that.
 */
export function thoughtUnitOf({ price }: Pick<Model, "price">): OutputUnit {
  return price.rates.has("thinking_output_tokens") ? "thinking_output_tokens" : "output_tokens";
}

/**
 * The usage as OpenAI tells it, reasoning inside `completion_tokens`, where a vendor's own total
 * shows that it stands beside; undefined when there is nothing to change.
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

/** The same count as other formats tell it; `units` is what {@link unitsOfUsage} made of it. */
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
  // DeepSeek and Moonshot have names of their own for what a cache served; DashScope for what it
  // took in.
  part("cached_input_tokens", details["cached_tokens"], usage["prompt_cache_hit_tokens"], usage["cached_tokens"]);
  part("cache_write_5m_tokens", details["cache_write_tokens"], details["cache_creation_input_tokens"]);
  part("audio_input_tokens", details["audio_tokens"]);
  part("image_input_tokens", details["image_tokens"]);
  part("video_input_tokens", details["video_tokens"]);
  add(units, "input_tokens", rest);
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

function add(units: Unit[], name: UnitName, quantity: number): void {
  if (quantity > 0) units.push({ name, quantity: BigInt(quantity) });
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
