import { Needle } from "@uag/untrusted/needle";
import { contentPieces } from "./content-pieces.ts";

type Fields = Record<string, unknown>;

const delta = new Needle('"delta"');
const onlyContent = new Needle(':{"content":"');
const quote = 34;
const backslash = 92;
const closing = 125;

/**
 * Extracts a chunk's text without parsing the rest, for chunks with a single choice and only
 * content, which nearly all are. Undefined for any other.
 */
export function quickText(data: Buffer): string | undefined {
  const at = delta.indexIn(data) + delta.length;
  if (at < delta.length || !onlyContent.isAt(data, at)) return undefined;
  const start = at + onlyContent.length;
  let end = start;
  while (end < data.length && data[end] !== quote && data[end] !== backslash) end++;
  if (data[end] !== quote || data[end + 1] !== closing || delta.indexIn(data, end) >= 0) return undefined;
  return data.toString("utf8", start, end);
}

/**
 * The generated text of one chunk or of a complete response: content, reasoning, refusals, tool
 * calls, transcripts.
 */
export function generatedText(value: unknown): string {
  const choices = (value as { choices?: unknown } | null)?.choices;
  if (!Array.isArray(choices)) return "";
  let text = "";
  for (const choice of choices as (Fields | null)[]) {
    const message = (choice?.["delta"] ?? choice?.["message"]) as Fields | null | undefined;
    if (typeof message === "object" && message !== null) text += messageText(message);
  }
  return text;
}

function messageText(message: Fields): string {
  let text = "";
  for (const piece of contentPieces(message)) text += piece.text;
  if (typeof message["refusal"] === "string") text += message["refusal"];
  const calls = message["tool_calls"];
  for (const call of Array.isArray(calls) ? (calls as (Fields | null)[]) : []) {
    const called = (call?.["function"] ?? call?.["custom"]) as Fields | undefined;
    for (const name of ["name", "arguments", "input"]) if (typeof called?.[name] === "string") text += called[name];
  }
  const transcript = (message["audio"] as Fields | null | undefined)?.["transcript"];
  return typeof transcript === "string" ? text + transcript : text;
}
