import type { ChatModel } from "../completions/flavour.ts";
import type { Candidate } from "../content/candidate.ts";
import type { Call } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import type { ResponsesRequest } from "./schema.ts";

/** What vendors of the Responses API do differently. */
export interface ResponsesFlavour {
  /** Whether events have random padding, like OpenAI's. */
  readonly padsEvents: boolean;
  /** Members of the usage in addition to OpenAI's. */
  readonly moreUsage: Usage;
}

/** Tokens of one response. */
export interface ResponsesCounts {
  readonly input: number;
  readonly cached: number;
  readonly text: number;
  readonly reasoning: number;
}

/** A failure of a response that has begun. */
export interface FailedWith {
  readonly code: string;
  /** Whether the provider charges for it, and reports its usage. */
  readonly charged: boolean;
}

/** A request that passed all checks, with its response. */
export interface ResponsesJob {
  readonly call: Call;
  readonly request: ResponsesRequest;
  readonly model: ChatModel;
  readonly flavour: ResponsesFlavour;
  readonly candidate: Candidate;
  readonly counts: ResponsesCounts;
  /** Web searches that the provider ran. */
  readonly searches: number;
  readonly customTools: ReadonlySet<string>;
  readonly failed: FailedWith | undefined;
  readonly id: string;
}
