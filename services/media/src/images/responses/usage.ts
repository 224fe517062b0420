import { countOf, type Fields, fieldsOf, isFields, listOf } from "@uag/providers/conversation/fields";
import type { ImageResult } from "../job.ts";

/** The usage shown to the client, over all calls; undefined for models that only count images. */
export function shownUsage({ job, responses }: ImageResult): object | undefined {
  switch (job.model.image?.family) {
    case "gamma":
      return added(responses.map(({ fields }) => fields["usage"]));
    case "gemini":
      return added(responses.map(({ fields }) => geminiTokens(fieldsOf(fields["usageMetadata"]))));
    case "seedream":
      return added(responses.map(({ fields }) => fields["usage"]));
    default:
      return undefined;
  }
}

/** Gemini's usage under OpenAI's names. */
function geminiTokens(usage: Fields): Fields {
  const input = countOf(usage["promptTokenCount"]) ?? 0;
  const output = (countOf(usage["candidatesTokenCount"]) ?? 0) + (countOf(usage["thoughtsTokenCount"]) ?? 0);
  const pictures = imageTokens(usage["promptTokensDetails"]);
  const drawn = imageTokens(usage["candidatesTokensDetails"]);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { text_tokens: input - pictures, image_tokens: pictures },
    output_tokens_details: { text_tokens: output - drawn, image_tokens: drawn },
  };
}

function imageTokens(details: unknown): number {
  const row = listOf(details)
    .map(fieldsOf)
    .find(({ modality }) => modality === "IMAGE");
  return countOf(row?.["tokenCount"]) ?? 0;
}

/** Sums usage objects member by member. */
function added(usages: readonly unknown[]): object | undefined {
  const known = usages.filter(isFields);
  if (known.length === 0) return undefined;
  const sum: Record<string, unknown> = {};
  for (const usage of known) {
    for (const [name, value] of Object.entries(usage)) {
      const before = sum[name];
      if (isFields(value)) sum[name] = added([before, value]);
      else sum[name] = typeof before === "number" && typeof value === "number" ? before + value : value;
    }
  }
  return sum;
}
