import type { Usage } from "../usage.ts";
import type { ResponsesJob } from "./job.ts";

type Status = "in_progress" | "completed" | "incomplete" | "failed";

/** How a response ends. */
export function statusOf({ candidate, failed }: ResponsesJob): Status {
  if (failed !== undefined) return "failed";
  return candidate.finish === "length" || candidate.finish === "filter" ? "incomplete" : "completed";
}

const reasons = { length: "max_output_tokens", filter: "content_filter" } as const;

export interface ResponseState {
  readonly status: Status;
  readonly output: readonly object[];
  readonly usage?: Usage | undefined;
}

/** The response object, with the request's fields and their defaults. */
export function responseObject(job: ResponsesJob, { status, output, usage }: ResponseState): object {
  const { request, candidate, failed, call, model } = job;
  const reason = candidate.finish === "length" || candidate.finish === "filter" ? reasons[candidate.finish] : undefined;
  const { format = { type: "text" }, verbosity = "medium" } = request.text ?? {};
  return {
    id: job.id,
    object: "response",
    created_at: call.created,
    completed_at: status === "completed" ? Math.floor(Date.now() / 1_000) : null,
    status,
    background: false,
    error:
      status === "failed" ? { code: failed?.code, message: `The simulated response failed: ${failed?.code}.` } : null,
    incomplete_details: status === "incomplete" ? { reason } : null,
    frequency_penalty: 0,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model: model.respondsAs,
    output,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    prompt_cache_retention: request.prompt_cache_retention ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: "default",
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { format, verbosity },
    tool_choice: request.tool_choice ?? "auto",
    tools: (request.tools ?? []).map(shownTool),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? "disabled",
    usage: status === "in_progress" ? null : (usage ?? null),
    user: request.user ?? null,
    metadata: request.metadata ?? {},
  };
}

/** Functions are strict unless the request says otherwise: https://platform.openai.com/docs/api-reference/responses/create#responses_create-tools */
function shownTool(tool: NonNullable<ResponsesJob["request"]["tools"]>[number]): object {
  if (tool.type !== "function") return tool;
  const { description = null, parameters = null, strict } = tool;
  return { ...tool, description, parameters, strict: strict ?? true };
}
