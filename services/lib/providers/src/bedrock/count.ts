import { claudeCall } from "../anthropic/provider.ts";
import { countOf, fieldsOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import type { CountCall, PromptCounter } from "../generation.ts";
import { invoking } from "./claude.ts";
import { bedrockFailure } from "./errors.ts";
import { withInlineSources } from "./inline-sources.ts";

/** The prefix of an inference profile; only models themselves count. */
const profile = /^(?:us-gov|us|eu|apac|jp|au|ca|global)\./;
/** How a model without the operation is reported; its prompts are estimated. */
const doesNotCount = /counting tokens|count_?tokens/i;

/** An invocation needs a limit, which its budget for thinking is below. */
const outputCapOf = ({ fields }: CountCall): number =>
  countOf(fields["max_tokens"]) ?? (countOf(fieldsOf(fields["thinking"])["budget_tokens"]) ?? 0) + 1;

/**
 * Bedrock's CountTokens, of a request as InvokeModel has it, in base64
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html).
 * @param serves whether it is a model of Anthropic's protocol
 */
export const bedrockCounter = (serves: (model: string) => boolean): PromptCounter => ({
  serves: ({ model }) => serves(model),
  async encode(call, upstream, signal) {
    const inlined = await withInlineSources(call, signal);
    const passed = claudeCall({ ...inlined, outputCap: outputCapOf(call) }, upstream, "");
    const { headers, body } = invoking(passed);
    const input = { invokeModel: { body: body.toString("base64") } };
    const model = upstream.model.replace(profile, "");
    return {
      path: `/model/${encodeURIComponent(model)}/count-tokens`,
      headers,
      body: Buffer.from(JSON.stringify({ input })),
    };
  },
  field: "inputTokens",
  failureOf(response, upstream) {
    const failure = bedrockFailure(response, upstream);
    const { reported, status } = failure;
    if (failure.kind !== "client" || !doesNotCount.test(reported?.message ?? "")) return failure;
    return new UpstreamFailure("unknown_model", failure.message, { status, reported });
  },
});
