import { cachedTokens } from "../completions/counts.ts";
import type { ChatModel } from "../completions/flavour.ts";
import { customToolNames } from "../completions/job.ts";
import type { PromptTokens } from "../completions/prompt-tokens.ts";
import type { ChatRequest } from "../completions/schema.ts";
import { turnOf } from "../completions/turn.ts";
import { candidateOf } from "../content/candidate.ts";
import { type Steering, steeringOf } from "../content/steer.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, Protocol, Reply } from "../http/types.ts";
import { reasoningIn } from "./as-chat.ts";
import { eventsOf } from "./events.ts";
import type { ResponsesCounts, ResponsesFlavour, ResponsesJob } from "./job.ts";
import { responseObject, statusOf } from "./object.ts";
import { outputOf } from "./output.ts";
import type { ResponsesRequest } from "./schema.ts";
import { responsesUsage } from "./usage.ts";

/** Tokens of one search's results. */
const tokensOfResults = 15_000;
/** Searches of a request that does not limit them. */
const maxSearches = 10;

export interface ResponsesOptions {
  readonly call: Call;
  readonly request: ResponsesRequest;
  /** The same as a chat request. */
  readonly chat: ChatRequest;
  readonly model: ChatModel;
  readonly protocol: Protocol;
  readonly flavour: ResponsesFlavour;
  readonly prompt: PromptTokens;
  readonly maxTokens: number;
}

/** Responds to a validated Responses request, streamed or not. */
export function respondResponses(options: ResponsesOptions): Reply {
  const { call, request, chat, model, protocol, flavour, maxTokens } = options;
  const turn = turnOf(call, chat, { model, flavour: { protocol } });
  const customTools = customToolNames(chat);
  const { huge } = call.faults;
  const candidate = candidateOf(turn, 0, {
    maxTokens,
    stop: [],
    newCallId: () => call.newId("call_"),
    freeTextTools: customTools,
    huge: huge === undefined ? undefined : { mebibytes: huge, pieceKibibytes: call.faults["huge-chunk"] ?? 16 },
  });
  const steering = steeringOf(turn.userText);
  const searches = searchesOf(request, steering);
  const { text, reasoning } = candidate.tokens;
  const counts = countsOf(options, { text, reasoning, searches });
  const id = call.newId("resp_");
  const { failed } = steering;
  const job: ResponsesJob = { call, request, model, flavour, candidate, counts, searches, customTools, failed, id };
  const isCharged = failed === undefined || failed.charged;
  const trueUsage = isCharged ? responsesUsage(job) : undefined;
  const usage = trueUsage && reportedUsage(trueUsage, call.faults);
  const units = searches > 0 ? { web_searches: searches } : undefined;
  const measured = { ...(trueUsage !== undefined && { trueUsage, ...(units && { units }) }), responseId: id };
  if (request.stream) return { type: "events", framing: "sse", events: eventsOf(job, usage), ...measured };
  const output = outputOf(job).map(({ item }) => item);
  const body = responseObject(job, { status: statusOf(job), output, usage });
  return { type: "json", status: 200, body, usage, tokens: text, ...measured };
}

function searchesOf({ tools, max_tool_calls: most }: ResponsesRequest, { searches = 0 }: Steering): number {
  const has = (tools ?? []).some(({ type }) => type.startsWith("web_search"));
  return has ? Math.min(searches, most ?? maxSearches) : 0;
}

/** Each round after a search reads the prompt again, with everything written and found so far. */
function countsOf(
  { call, prompt, request }: ResponsesOptions,
  { text, reasoning, searches }: { text: number; reasoning: number; searches: number },
): ResponsesCounts {
  const first = prompt.total + reasoningIn(request);
  const output = text + reasoning;
  let input = first;
  for (let round = 1; round <= searches; round++) input += first + output + round * tokensOfResults;
  return { input, cached: Math.min(cachedTokens(call, prompt), first), text, reasoning };
}
