import { countOf, listOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import type { CutLists } from "../reading/cut-lists.ts";
import { checkCallOrdinal } from "../response-limits.ts";
import { contentPieces } from "./content-pieces.ts";

type Fields = Record<string, unknown>;

interface Call {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

interface Choice {
  readonly index: number;
  finishReason: unknown;
  readonly texts: Fields;
  readonly calls: Call[];
  /** Entries as raw JSON: they are most of a long response. */
  readonly logprobs: Buffer[];
  readonly sound: Buffer[];
  audio: Fields | undefined;
}

/**
 * 16 bit, mono, 24 kHz: the output of DashScope's omni models whatever format was requested (Model
 * Studio's guide to Qwen-Omni).
 */
const sampleRate = 24_000;

/** Assembles the chunks of a stream into one `chat.completion`, for models that only stream. */
export class Aggregate {
  #head: Fields | undefined;
  #usage: unknown;
  readonly #choices = new Map<number, Choice>();

  add(chunk: Fields): void {
    this.#head ??= chunk;
    if (chunk["usage"] !== undefined && chunk["usage"] !== null) this.#usage = chunk["usage"];
    const choices = Array.isArray(chunk["choices"]) ? (chunk["choices"] as Fields[]) : [];
    for (const choice of choices) this.#addChoice(choice);
  }

  /**
   * @param lists receives the log probabilities
   * @throws {UpstreamFailure} when no chunk arrived
   */
  completion(lists: CutLists): Fields {
    if (this.#head === undefined) throw new UpstreamFailure("transient", "the stream was empty", { status: 200 });
    const choices = [...this.#choices.values()]
      .sort((a, b) => a.index - b.index)
      .map((choice) => choiceOf(choice, lists));
    return { ...this.#head, object: "chat.completion", choices, usage: this.#usage ?? null };
  }

  #addChoice(from: Fields): void {
    const index = typeof from["index"] === "number" ? from["index"] : 0;
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      choice = { index, finishReason: null, texts: {}, calls: [], logprobs: [], sound: [], audio: undefined };
      this.#choices.set(index, choice);
    }
    if (from["finish_reason"]) choice.finishReason = from["finish_reason"];
    const logprobs = (from["logprobs"] as Fields | null | undefined)?.["content"];
    const entries = JSON.stringify(listOf(logprobs)).slice(1, -1);
    if (entries !== "") choice.logprobs.push(Buffer.from(choice.logprobs.length > 0 ? `,${entries}` : entries));
    const delta = from["delta"] as Fields | null | undefined;
    if (typeof delta === "object" && delta !== null) addDelta(choice, delta);
  }
}

function addDelta(choice: Choice, delta: Fields): void {
  const add = (name: string, text: string): void => {
    choice.texts[name] = ((choice.texts[name] as string | undefined) ?? "") + text;
  };
  for (const { type, text } of contentPieces(delta)) add(type === "text" ? "content" : "reasoning_content", text);
  if (typeof delta["refusal"] === "string") add("refusal", delta["refusal"]);
  const calls = Array.isArray(delta["tool_calls"]) ? (delta["tool_calls"] as Fields[]) : [];
  for (const call of calls) addCall(choice, call);
  const audio = delta["audio"] as Fields | null | undefined;
  if (typeof audio !== "object" || audio === null) return;
  const transcript = `${choice.audio?.["transcript"] ?? ""}${audio["transcript"] ?? ""}`;
  choice.audio = { ...choice.audio, ...audio, transcript };
  if (typeof audio["data"] === "string") choice.sound.push(Buffer.from(audio["data"], "base64"));
}

function addCall(choice: Choice, part: Fields): void {
  // A vendor that omits the index continues the last call, unless it sends a new id.
  const named = typeof part["id"] === "string" && part["id"] !== "";
  const index = countOf(part["index"]) ?? Math.max(0, choice.calls.length - (named ? 0 : 1));
  let call = choice.calls[index];
  if (call === undefined) {
    checkCallOrdinal(index);
    call = { id: "", type: "function", function: { name: "", arguments: "" } };
    choice.calls[index] = call;
  }
  if (named) call.id = part["id"] as string;
  const called = part["function"] as Fields | null | undefined;
  if (typeof called?.["name"] === "string" && call.function.name === "") call.function.name = called["name"];
  if (typeof called?.["arguments"] === "string") call.function.arguments += called["arguments"];
}

function choiceOf(choice: Choice, lists: CutLists): Fields {
  const message: Fields = { role: "assistant", content: "", ...choice.texts };
  const calls = choice.calls.filter((call) => call !== undefined);
  if (calls.length > 0) message["tool_calls"] = calls;
  if (choice.audio !== undefined) message["audio"] = { ...choice.audio, data: wave(Buffer.concat(choice.sound)) };
  const logprobs = choice.logprobs.length > 0 ? { content: [lists.add(choice.logprobs)] } : null;
  return { index: choice.index, message, logprobs, finish_reason: choice.finishReason };
}

/** Raw samples as a WAV file in base64, with the canonical 44-byte header for linear PCM. */
function wave(samples: Buffer): string {
  if (samples.subarray(0, 4).toString("latin1") === "RIFF") return samples.toString("base64");
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]).toString("base64");
}
