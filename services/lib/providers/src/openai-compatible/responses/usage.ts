import { type Fields, fieldsOf, isFields, listOf } from "../../conversation/fields.ts";
import type { GenerationCall } from "../../generation.ts";
import type { UsageReport } from "../../usage-report.ts";
import { thoughtUnitOf, unitsOfUsage } from "../usage.ts";

/**
 * The usage that a response object reports: its tokens, and the web searches in its output. A count
 * of tokens without the output is no usage where the provider may have searched.
 */
export function responsesUsageIn(
  response: Fields,
  { model, runsTools }: Pick<GenerationCall, "model" | "runsTools">,
): UsageReport | undefined {
  const { usage, output } = response;
  if (!isFields(usage) || (runsTools && !Array.isArray(output))) return undefined;
  const units = unitsOfUsage(asChatUsage(usage), thoughtUnitOf(model));
  if (units === undefined) return undefined;
  const searches = searchesIn(response);
  const uses = searches > 0 ? [{ name: "web_searches", quantity: BigInt(searches) }] : [];
  return { units: [...units, ...uses], raw: Buffer.from(JSON.stringify(usage)) };
}

/** The same counts under the names of chat completions. */
function asChatUsage(usage: Fields): Fields {
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details, ...others } = usage;
  return {
    ...others,
    prompt_tokens: input_tokens,
    prompt_tokens_details: input_tokens_details,
    completion_tokens: output_tokens,
    completion_tokens_details: output_tokens_details,
  };
}

/**
 * Searches that are charged: a call that only opens a page, or finds text in it, is none
 * (https://developers.openai.com/api/docs/guides/tools-web-search, "Output and citations"). Later
 * responses also have the provider's own count.
 */
function searchesIn({ output, tool_usage: used }: Fields): number {
  const calls = listOf(output)
    .map(fieldsOf)
    .filter(({ type, action }) => type === "web_search_call" && (fieldsOf(action)["type"] ?? "search") === "search");
  const counted = fieldsOf(fieldsOf(used)["web_search"])["num_requests"];
  return Math.max(calls.length, typeof counted === "number" && Number.isSafeInteger(counted) ? counted : 0);
}
