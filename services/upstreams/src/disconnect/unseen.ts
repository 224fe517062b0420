import type { Upstream } from "@uag/catalog/types.ts";
import { rulesOf } from "../anthropic/models.ts";
import { fieldsOf } from "../conversation/fields.ts";
import type { GenerationCall } from "../generation.ts";

/** Tokens a second that a model makes at least as an estimate takes it, where nothing of them is seen. */
const tokensPerSecond = 100;

/** Whether the model may think without showing it: then only the upstream's own count says what an answer has come to. */
export function thinksUnseen({ fields, model }: Pick<GenerationCall, "fields" | "model">, upstream: Upstream): boolean {
  if (model.reasoning !== undefined) return true;
  if (upstream.provider.protocol !== "anthropic") return false;
  const { type } = fieldsOf(fields["thinking"]);
  const asked = (type !== undefined && type !== "disabled") || fields["reasoning_effort"] != null;
  return asked || rulesOf(upstream.model).alwaysThinks;
}

/** What a call may have made in so many milliseconds, where the upstream was given up before it said. */
export function unseenTokens(workedMs: number, maxTokens: number): number {
  return Math.min(Math.ceil((workedMs / 1_000) * tokensPerSecond), maxTokens);
}
