import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { Tokens } from "../../conversation/events.ts";
import { countOf, type Fields, fieldsOf, isFields, listOf } from "../../conversation/fields.ts";
import { unitsOfOthers } from "../../openai-compatible/other-counters.ts";
import type { UsageReport } from "../../usage-report.ts";

/** Members that units count, or that repeat or break down one that is counted. */
const known =
  /^(input|output|total)Tokens$|^cache(Read|Write)InputTokens$|^cache(Read|Write)InputTokenCount$|^cacheDetails$/;

/** The tokens of a response; the input has neither cache reads nor writes. Undefined when none are reported. */
export function converseTokens(usage: unknown): Tokens | undefined {
  if (!isFields(usage)) return undefined;
  const [input, output] = [countOf(usage["inputTokens"]), countOf(usage["outputTokens"])];
  if (input === undefined || output === undefined) return undefined;
  const written = countOf(usage["cacheWriteInputTokens"]) ?? 0;
  const forAnHour = listOf(usage["cacheDetails"])
    .map(fieldsOf)
    .filter(({ ttl }) => ttl === "1h")
    .reduce((sum, { inputTokens }) => sum + (countOf(inputTokens) ?? 0), 0);
  const cacheWrite1h = Math.min(forAnHour, written);
  return {
    input,
    cacheRead: countOf(usage["cacheReadInputTokens"]) ?? 0,
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output,
    thinking: 0,
  };
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html */
export function converseReport(usage: unknown): UsageReport | undefined {
  const tokens = converseTokens(usage);
  if (tokens === undefined) return undefined;
  const counted: readonly (readonly [name: string, count: number])[] = [
    ["input_tokens", tokens.input],
    ["cached_input_tokens", tokens.cacheRead],
    ["cache_write_5m_tokens", tokens.cacheWrite5m],
    ["cache_write_1h_tokens", tokens.cacheWrite1h],
    ["output_tokens", tokens.output],
  ];
  const units: Unit[] = counted.flatMap(([name, count]) => (count > 0 ? [{ name, quantity: BigInt(count) }] : []));
  return { units: [...units, ...unitsOfOthers(usage as Fields, known)], raw: Buffer.from(JSON.stringify(usage)) };
}
