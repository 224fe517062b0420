import type { ResponseEvent, StopEvent, TextEvent, Tokens } from "../../conversation/events.ts";
import type { GenerationCall } from "../../generation.ts";
import type { GenerationFormat, ResponseWriter } from "../../translate/client.ts";
import { readChat } from "../chat/read.ts";
import { chatId, chatUsage, finishReasons } from "../chat/reasons.ts";
import { joinedLogprobs, type LegacyLogprobs, legacyLogprobs } from "./logprobs.ts";

/**
 * OpenAI's legacy completions (https://platform.openai.com/docs/api-reference/completions), for
 * upstreams of every protocol. The fields of a call are those of a chat request with the prompt as
 * its only message, plus `echoed`: the text that each choice begins with.
 */
export const completionsFormat: GenerationFormat = {
  rewritesLogprobs: true,
  read: readChat,
  response: completionOf,
  openWriter: (call) => new CompletionWriter(call),
};

/** What an event adds to a choice. */
interface Piece {
  readonly index: number;
  readonly text: string;
  readonly logprobs: LegacyLogprobs | null;
  readonly finish_reason: string | null;
}

/** Converts events to the pieces of their choices. */
class Pieces {
  readonly #echoed: string;
  /** Characters so far, by choice. */
  readonly #lengths = new Map<number, number>();

  constructor({ fields }: GenerationCall) {
    this.#echoed = typeof fields["echoed"] === "string" ? fields["echoed"] : "";
  }

  /** Undefined for an event that adds nothing: completions have text only. */
  of(event: ResponseEvent): Piece | undefined {
    if (event.type !== "text" && event.type !== "refusal" && event.type !== "stop") return undefined;
    const { candidate: index } = event;
    const length = this.#lengths.get(index);
    const before = length === undefined ? this.#echoed : "";
    const added = event.type === "stop" ? "" : event.text;
    const start = (length ?? 0) + before.length;
    this.#lengths.set(index, start + added.length);
    return { index, text: before + added, logprobs: logprobsOf(event, start), finish_reason: finishOf(event) };
  }
}

type Shown = TextEvent | StopEvent | Extract<ResponseEvent, { type: "refusal" }>;

const logprobsOf = (event: Shown, start: number): LegacyLogprobs | null =>
  event.type === "text" && event.logprobs !== undefined ? legacyLogprobs(event.logprobs, start) : null;

function finishOf(event: Shown): string | null {
  if (event.type !== "stop") return null;
  // No tools were sent, so that a call is the end of the text.
  return event.reason === "tools" ? "stop" : finishReasons[event.reason];
}

/** The members that a response and each of its chunks share. */
class Envelope {
  readonly #call: GenerationCall;
  readonly #created = Math.floor(Date.now() / 1_000);
  #start: { readonly id: string; readonly model: string | undefined } = { id: "", model: undefined };
  #tokens: Tokens | undefined;

  constructor(call: GenerationCall) {
    this.#call = call;
  }

  take(event: ResponseEvent): void {
    if (event.type === "start") this.#start = event;
    else if (event.type === "usage") this.#tokens = event.tokens;
  }

  get usage(): object | undefined {
    return chatUsage(this.#tokens);
  }

  with(fields: object): object {
    const { id, model } = this.#start;
    return {
      id: chatId(id, this.#call.requestId).replace("chatcmpl-", "cmpl-"),
      object: "text_completion",
      created: this.#created,
      model: model ?? this.#call.model.id,
      ...fields,
    };
  }
}

function completionOf(events: readonly ResponseEvent[], call: GenerationCall): object {
  const envelope = new Envelope(call);
  const pieces = new Pieces(call);
  for (const event of events) envelope.take(event);
  const byChoice = Map.groupBy(
    events.flatMap((event) => pieces.of(event) ?? []),
    ({ index }) => index,
  );
  const choices = [...byChoice].sort(([a], [b]) => a - b).map(([index, all]) => choiceOf(index, all));
  const { usage } = envelope;
  return envelope.with({ choices, ...(usage !== undefined && { usage }) });
}

const choiceOf = (index: number, pieces: readonly Piece[]): Piece => ({
  index,
  text: pieces.map(({ text }) => text).join(""),
  logprobs: joinedLogprobs(pieces.flatMap(({ logprobs }) => logprobs ?? [])),
  finish_reason: pieces.findLast(({ finish_reason }) => finish_reason !== null)?.finish_reason ?? "stop",
});

class CompletionWriter implements ResponseWriter {
  readonly #call: GenerationCall;
  readonly #envelope: Envelope;
  readonly #pieces: Pieces;

  constructor(call: GenerationCall) {
    this.#call = call;
    this.#envelope = new Envelope(call);
    this.#pieces = new Pieces(call);
  }

  get closing(): Buffer {
    const usage = this.#call.usageWanted ? this.#envelope.usage : undefined;
    return Buffer.from(`${usage === undefined ? "" : this.#chunk({ choices: [], usage })}data: [DONE]\n\n`);
  }

  write(event: ResponseEvent): string {
    if (event.type === "idle") return ": ping\n\n";
    this.#envelope.take(event);
    const piece = this.#pieces.of(event);
    return piece === undefined ? "" : this.#chunk({ choices: [piece], ...(this.#call.usageWanted && { usage: null }) });
  }

  #chunk(fields: object): string {
    return `data: ${JSON.stringify(this.#envelope.with(fields))}\n\n`;
  }
}
