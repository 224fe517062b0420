import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import { countOf, type Fields, fieldsOf, numberOf } from "../conversation/fields.ts";
import { unitsOfOthers } from "../openai-compatible/other-counters.ts";
import type { UsageReport } from "../usage-report.ts";

/** The usage that a response object reports (OpenAI's reference, create transcription). */
export function transcriptionUsageIn({ usage }: Fields): UsageReport | undefined {
  const units = unitsOfUsage(fieldsOf(usage));
  return units && { units, raw: Buffer.from(JSON.stringify(usage)) };
}

/** The length of the audio that a response states beside its text, seconds; undefined when it states none. */
export function durationIn({ duration }: Fields): number | undefined {
  // Older responses have it as text.
  const seconds = typeof duration === "string" ? Number.parseFloat(duration) : numberOf(duration);
  return seconds !== undefined && isLength(seconds) ? seconds : undefined;
}

function isLength(seconds: number): boolean {
  return seconds > 0 && Number.isSafeInteger(Math.ceil(seconds));
}

function unitsOfUsage(usage: Fields): Unit[] | undefined {
  const seconds = secondsOf(usage["seconds"]);
  return seconds === undefined ? unitsOfTokens(usage) : [seconds, ...unitsOfOthers(usage)];
}

/** Part of a second counts as a whole one. */
function secondsOf(value: unknown): Unit | undefined {
  const seconds = numberOf(value);
  if (seconds === undefined || !isLength(seconds)) return undefined;
  return { name: "audio_seconds", quantity: BigInt(Math.ceil(seconds)) };
}

/** Without details, all input is audio. */
function unitsOfTokens(usage: Fields): Unit[] | undefined {
  const input = countOf(usage["input_tokens"]);
  const output = countOf(usage["output_tokens"]);
  if (input === undefined || output === undefined || input + output === 0) return undefined;
  const text = Math.min(countOf(fieldsOf(usage["input_token_details"])["text_tokens"]) ?? 0, input);
  const tokens = { audio_input_tokens: input - text, input_tokens: text, output_tokens: output };
  const units = Object.entries(tokens).map(([name, count]) => ({ name, quantity: BigInt(count) }));
  return [...units.filter(({ quantity }) => quantity > 0n), ...unitsOfOthers(usage)];
}
