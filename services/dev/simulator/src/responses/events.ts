import { randomFrom } from "../content/hash.ts";
import type { Piece } from "../content/tokens.ts";
import { wordsOf } from "../content/words.ts";
import type { StreamEvent } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import type { ResponsesJob } from "./job.ts";
import { responseObject, statusOf } from "./object.ts";
import { logprobsFor, type OutputItem, outputOf } from "./output.ts";

interface Step {
  readonly type: string;
  readonly fields: object;
  readonly tokens?: number;
}

const step = (type: string, fields: object, tokens = 0): Step => ({ type: `response.${type}`, fields, tokens });

/**
 * The events of a streamed response, numbered:
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function* eventsOf(job: ResponsesJob, usage: Usage | undefined): Generator<StreamEvent> {
  const items = outputOf(job);
  const status = statusOf(job);
  const begun = { response: responseObject(job, { status: "in_progress", output: [] }) };
  let sequence = 0;
  const event = ({ type, fields, tokens = 0 }: Step, more: Partial<StreamEvent> = {}): StreamEvent => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: sequence++, ...fields }),
    tokens,
    ...more,
  });
  yield event(step("created", begun));
  yield event(step("in_progress", begun));
  const shown = status === "failed" ? items.slice(0, 1) : items;
  for (const [index, item] of shown.entries()) for (const each of stepsOf(job, item, index)) yield event(each);
  const output = shown.map(({ item }) => item);
  const last = step(status, { response: responseObject(job, { status, output, usage }) });
  yield event(last, { usage, terminator: true });
}

function padding(job: ResponsesJob, item: OutputItem): () => object {
  const wanted = job.flavour.padsEvents && job.request.stream_options?.include_obfuscation !== false;
  const random = randomFrom(job.call.digest, `padding ${item.item.id}`);
  return () => (wanted ? { obfuscation: wordsOf(random, 2).replaceAll(" ", "").slice(0, 12) } : {});
}

function* stepsOf(job: ResponsesJob, output: OutputItem, index: number): Generator<Step> {
  const { item, kind, pieces, tokens } = output;
  const place = { item_id: item.id, output_index: index };
  const pad = padding(job, output);
  yield step("output_item.added", { output_index: index, item: begunItem(output) }, tokens);
  if (kind === "search") {
    for (const state of ["in_progress", "searching", "completed"]) yield step(`web_search_call.${state}`, place);
  } else if (kind === "reasoning") {
    if (pieces.length > 0) yield* summarySteps(pieces, { ...place, summary_index: 0 }, pad);
  } else if (kind === "message" || kind === "refusal") {
    yield* partSteps(job, output, { ...place, content_index: 0 }, pad);
  } else {
    const [name, field] =
      kind === "custom" ? ["custom_tool_call_input", "input"] : ["function_call_arguments", "arguments"];
    for (const piece of pieces) yield step(`${name}.delta`, { ...place, delta: piece.text, ...pad() }, piece.tokens);
    yield step(`${name}.done`, { ...place, [field as string]: item[field as string] });
  }
  yield step("output_item.done", { output_index: index, item });
}

function* summarySteps(pieces: readonly Piece[], place: object, pad: () => object): Generator<Step> {
  const text = pieces.map((piece) => piece.text).join("");
  yield step("reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } });
  for (const piece of pieces)
    yield step("reasoning_summary_text.delta", { ...place, delta: piece.text, ...pad() }, piece.tokens);
  yield step("reasoning_summary_text.done", { ...place, text });
  yield step("reasoning_summary_part.done", { ...place, part: { type: "summary_text", text } });
}

function* partSteps(job: ResponsesJob, { item, kind, pieces }: OutputItem, place: object, pad: () => object) {
  const [part] = item["content"] as [object];
  const isText = kind === "message";
  const text = pieces.map((piece) => piece.text).join("");
  const empty = isText
    ? { type: "output_text", annotations: [], logprobs: [], text: "" }
    : { type: "refusal", refusal: "" };
  const name = isText ? "output_text" : "refusal";
  yield step("content_part.added", { ...place, part: empty });
  for (const piece of pieces) {
    const logprobs = isText ? { logprobs: logprobsFor(job, [piece]) } : {};
    yield step(`${name}.delta`, { ...place, delta: piece.text, ...logprobs, ...pad() }, piece.tokens);
  }
  const whole = isText ? { text, logprobs: logprobsFor(job, pieces) } : { refusal: text };
  yield step(`${name}.done`, { ...place, ...whole });
  yield step("content_part.done", { ...place, part });
}

function begunItem({ item, kind }: OutputItem): object {
  switch (kind) {
    case "reasoning":
      return { ...item, summary: [] };
    case "search": {
      const { action: _, ...rest } = item;
      return { ...rest, status: "in_progress" };
    }
    case "function":
      return { ...item, status: "in_progress", arguments: "" };
    case "custom":
      return { ...item, status: "in_progress", input: "" };
    default:
      return { ...item, status: "in_progress", content: [] };
  }
}
