import type { Reasoning } from "@uag/catalog/types";
import { type Fields, fieldsOf } from "./conversation/fields.ts";

/**
 * Sampling parameters that a model with effort `none` takes, at which it does not reason.
 * https://developers.openai.com/api/docs/guides/latest-model, "Parameter compatibility"
 */
const withoutReasoning: ReadonlySet<string> = new Set(["temperature", "top_p", "logprobs", "top_logprobs"]);
const nothing: ReadonlySet<string> = new Set();

type Takes = (parameter: string) => boolean;

/**
 * Which sampling parameters a model takes.
 * @param effort the effort that the request sets
 */
export function takesSampling(reasoning: Reasoning | undefined, effort: unknown): Takes {
  if (reasoning === undefined || reasoning.sampling === "all") return () => true;
  const { sampling } = reasoning;
  return (name) => (reasons(reasoning, effort) ? sampling : withoutReasoning).has(name);
}

/**
 * The same by the public contract of chat completions, where a reasoning model's sampling
 * parameters have no effect even if the provider takes some.
 */
export function chatTakesSampling(reasoning: Reasoning | undefined, effort: unknown): Takes {
  const open = reasoning === undefined || reasoning.sampling === "all";
  return takesSampling(open ? reasoning : { ...reasoning, sampling: nothing }, effort);
}

function reasons({ efforts, defaultEffort }: Reasoning, effort: unknown): boolean {
  return !efforts.includes("none") || (effort ?? defaultEffort) !== "none";
}

/** Whether a request of any format may make the model reason. */
export function mayReason(reasoning: Reasoning | undefined, fields: Fields): boolean {
  if (reasoning === undefined) return fields["enable_thinking"] === true;
  if (reasoning.switch !== "enable_thinking") return true;
  const { thinkingBudget, thinkingLevel } = fieldsOf(fieldsOf(fields["generationConfig"])["thinkingConfig"]);
  const settings = [
    fields["enable_thinking"],
    fields["thinking_budget"],
    fields["reasoning_effort"],
    fieldsOf(fields["reasoning"])["effort"],
    fieldsOf(fields["thinking"])["type"],
    fieldsOf(fields["output_config"])["effort"],
    thinkingBudget === 0 ? false : thinkingBudget,
    thinkingLevel,
  ].filter((value) => value != null);
  const off: readonly unknown[] = [false, "none", "disabled"];
  if (settings.length === 0) return reasoning.defaultEffort !== "none";
  return settings.some((value) => !off.includes(value));
}
