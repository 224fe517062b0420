import type { Candidate } from "../content/candidate.ts";
import type { Call } from "../http/types.ts";
import type { ChatFlavour, ChatModel, Counts } from "./flavour.ts";
import type { ChatRequest } from "./schema.ts";

/** A request that passed all checks, with its response. */
export interface ChatJob {
  readonly call: Call;
  readonly request: ChatRequest;
  readonly model: ChatModel;
  readonly flavour: ChatFlavour;
  readonly candidates: readonly Candidate[];
  readonly counts: Counts;
  readonly id: string;
  readonly customTools: ReadonlySet<string>;
  /** Whether the response is spoken too. */
  readonly speaks: boolean;
}

const finishReasons = { stop: "stop", length: "length", tools: "tool_calls", filter: "content_filter" } as const;

export function finishReasonOf(candidate: Candidate): string {
  return finishReasons[candidate.finish];
}

/** Names of the custom tools of a request, which take free text. */
export function customToolNames(request: ChatRequest): Set<string> {
  return new Set((request.tools ?? []).flatMap((tool) => (tool.type === "custom" ? [tool.custom.name] : [])));
}
