import type { Reply, StreamEvent } from "../http/types.ts";

type Fields = Record<string, unknown>;

const safe = { filtered: false, severity: "safe" };

/** https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter-annotations */
export const harmless = { hate: safe, self_harm: safe, sexual: safe, violence: safe };
const prompt = [{ prompt_index: 0, content_filter_results: harmless }];

function annotated(body: unknown): unknown {
  const { choices, ...rest } = body as Fields;
  if (!Array.isArray(choices)) return body;
  const judged = (choices as Fields[]).map((choice) => ({ ...choice, content_filter_results: harmless }));
  return { choices: judged, ...rest };
}

function* annotatedEvents(events: Iterable<StreamEvent>): Generator<StreamEvent> {
  let isFirst = true;
  for (const event of events) {
    if (isFirst && event.terminator === undefined) {
      const first = { choices: [], created: 0, id: "", model: "", object: "", prompt_filter_results: prompt };
      yield { data: JSON.stringify(first) };
    }
    isFirst = false;
    yield event.terminator === undefined
      ? { ...event, data: JSON.stringify(annotated(JSON.parse(event.data))) }
      : event;
  }
}

/** A chat response with what Azure's content filter found. */
export function withFilterResults(reply: Reply): Reply {
  if (reply.type === "json" && reply.status === 200)
    return { ...reply, body: { ...(annotated(reply.body) as Fields), prompt_filter_results: prompt } };
  return reply.type === "events" ? { ...reply, events: annotatedEvents(reply.events) } : reply;
}
