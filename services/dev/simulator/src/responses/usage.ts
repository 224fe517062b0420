import type { Usage } from "../usage.ts";
import type { ResponsesJob } from "./job.ts";

/** The usage of a response: https://platform.openai.com/docs/api-reference/responses/object */
export function responsesUsage({ counts, flavour }: Pick<ResponsesJob, "counts" | "flavour">): Usage {
  const output = counts.text + counts.reasoning;
  return {
    input_tokens: counts.input,
    input_tokens_details: { cached_tokens: counts.cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: counts.reasoning },
    total_tokens: counts.input + output,
    ...flavour.moreUsage,
  };
}
