import { encodeSse } from "@uag/untrusted/sse/encoder";
import { type Fields, fieldsOf, listOf, parsedJson, textOf } from "../../conversation/fields.ts";
import { deliveredAtOnce } from "../../delivered.ts";
import type { ReplayedResponse, UnaryResponse } from "../../generation.ts";

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The text of a call by its item's type, and the events that it comes in. */
const callFields: Readonly<Record<string, { readonly field: string; readonly event: string }>> = {
  function_call: { field: "arguments", event: "response.function_call_arguments" },
  custom_tool_call: { field: "input", event: "response.custom_tool_call_input" },
};

/**
 * A complete response as a stream, each text in one delta (OpenAI's reference, streaming events).
 */
export function replayedResponse({ body, usage, deliveredText }: UnaryResponse): ReplayedResponse {
  const response = fieldsOf(parsedJson(body.toString("utf8")));
  const begun = { ...response, status: "in_progress", output: [], usage: null, incomplete_details: null };
  const events: Event[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...listOf(response["output"]).flatMap((item, index) => itemEvents(fieldsOf(item), index)),
  ];
  const last = response["status"] === "incomplete" ? "response.incomplete" : "response.completed";
  return {
    output: events.map(encoded),
    closing: encoded({ type: last, response }, events.length),
    usage,
    delivered: deliveredAtOnce(deliveredText()),
  };
}

function encoded({ type, ...fields }: Event, sequence: number): Buffer {
  return encodeSse({ name: type, data: JSON.stringify({ type, sequence_number: sequence, ...fields }) });
}

function itemEvents(item: Fields, index: number): Event[] {
  const place = { item_id: item["id"], output_index: index };
  const call = callFields[String(item["type"])];
  const empty = { ...item, status: "in_progress" };
  const begun = call === undefined ? { ...empty, ...emptied(item) } : { ...empty, [call.field]: "" };
  return [
    { type: "response.output_item.added", output_index: index, item: begun },
    ...(call === undefined ? [] : textEvents(call.event, place, call.field, textOf(item[call.field]) ?? "")),
    ...listOf(item["summary"]).flatMap((part, at) => summaryEvents(fieldsOf(part), { ...place, summary_index: at })),
    ...listOf(item["content"]).flatMap((part, at) => partEvents(fieldsOf(part), { ...place, content_index: at })),
    { type: "response.output_item.done", output_index: index, item },
  ];
}

/** The lists of an item that its events fill. */
function emptied(item: Fields): Fields {
  return Object.fromEntries(["summary", "content"].filter((name) => name in item).map((name) => [name, []]));
}

function summaryEvents(part: Fields, place: object): Event[] {
  const type = "response.reasoning_summary";
  return [
    { type: `${type}_part.added`, ...place, part: { ...part, text: "" } },
    ...textEvents(`${type}_text`, place, "text", textOf(part["text"]) ?? ""),
    { type: `${type}_part.done`, ...place, part },
  ];
}

function partEvents(part: Fields, place: object): Event[] {
  const kind = String(part["type"]);
  const field = kind === "refusal" ? "refusal" : "text";
  return [
    { type: "response.content_part.added", ...place, part: { ...part, [field]: "" } },
    ...textEvents(`response.${kind}`, place, field, textOf(part[field]) ?? ""),
    { type: "response.content_part.done", ...place, part },
  ];
}

const textEvents = (type: string, place: object, field: string, text: string): Event[] => [
  { type: `${type}.delta`, ...place, delta: text },
  { type: `${type}.done`, ...place, [field]: text },
];
