import type { ResponseEvent, Tokens } from "../../conversation/events.ts";
import { geminiSignature } from "../../conversation/gemini-signature.ts";
import type { GenerationCall } from "../../generation.ts";
import type { ResponseWriter } from "../../translate/client.ts";
import { googleExtra } from "./extra.ts";
import { chatLogprobs } from "./logprobs.ts";
import { chatId, chatUsage, finishReasons } from "./reasons.ts";
import { thinkingBlock } from "./thinking-blocks.ts";

/** Writes a response as OpenAI's chunks. */
export class ChatWriter implements ResponseWriter {
  readonly #call: GenerationCall;
  readonly #created = Math.floor(Date.now() / 1_000);
  readonly #opened = new Set<number>();
  /** By candidate: thinking not yet ended by a signature. */
  readonly #unsigned = new Map<number, string>();
  /** By candidate: characters of its text so far. */
  readonly #textLengths = new Map<number, number>();
  /** Calls without any input so far. */
  readonly #silent = new Map<string, { candidate: number; call: number }>();
  #id: string;
  #model: string;
  #tokens: Tokens | undefined;

  constructor(call: GenerationCall) {
    this.#call = call;
    this.#model = call.model.id;
    this.#id = chatId("", call.requestId);
  }

  get closing(): Buffer {
    return Buffer.from(`${this.#usage()}data: [DONE]\n\n`);
  }

  write(event: ResponseEvent): string {
    switch (event.type) {
      case "start":
        this.#id = chatId(event.id, this.#call.requestId);
        this.#model = event.model ?? this.#model;
        return this.#opening(0);
      case "usage":
        this.#tokens = event.tokens;
        return "";
      case "idle":
        return ": ping\n\n";
      case "end":
        // The usage comes with the closing, when the cost is known.
        return "";
      case "stop": {
        const { candidate: index } = event;
        const last = this.#choice({ index, delta: {}, finish_reason: finishReasons[event.reason] });
        return this.#opening(index) + this.#emptyInputs(index) + last;
      }
      default: {
        const delta = this.#delta(event);
        if (delta === undefined) return "";
        const choice = { index: event.candidate, delta, ...chatLogprobs(event), finish_reason: null };
        return this.#opening(event.candidate) + this.#choice(choice);
      }
    }
  }

  #delta(event: Exclude<ResponseEvent, { type: "start" | "usage" | "idle" | "end" | "stop" }>): object | undefined {
    const { candidate } = event;
    switch (event.type) {
      case "text":
        this.#textLengths.set(candidate, this.#textLength(candidate) + event.text.length);
        return { content: event.text };
      case "refusal":
        return { refusal: event.text };
      case "thinking":
        this.#unsigned.set(candidate, (this.#unsigned.get(candidate) ?? "") + event.text);
        return { reasoning_content: event.text };
      case "signature": {
        const { signature } = event;
        const google = geminiSignature(signature);
        if (google !== undefined) return googleExtra(google);
        const thinking = this.#unsigned.get(candidate) ?? "";
        this.#unsigned.delete(candidate);
        return this.#thinkingDelta(candidate, { type: "thinking", thinking, signature });
      }
      case "redacted":
        return this.#thinkingDelta(candidate, { type: "redacted_thinking", data: event.data });
      case "call": {
        this.#silent.set(`${candidate} ${event.call}`, { candidate, call: event.call });
        const called = { name: event.name, arguments: "" };
        const extra = googleExtra(event.signature);
        return { tool_calls: [{ index: event.call, id: event.id, type: "function", function: called, ...extra }] };
      }
      case "input":
        this.#silent.delete(`${candidate} ${event.call}`);
        return { tool_calls: [{ index: event.call, function: { arguments: event.json } }] };
    }
  }

  #thinkingDelta(candidate: number, block: object): object {
    return { thinking_blocks: [thinkingBlock(block, this.#textLength(candidate))] };
  }

  #textLength(candidate: number): number {
    return this.#textLengths.get(candidate) ?? 0;
  }

  /** Clients parse a call's arguments, so a call without any gets an empty object. */
  #emptyInputs(candidate: number): string {
    const calls = [...this.#silent.values()].filter((silent) => silent.candidate === candidate);
    return calls
      .map(({ call }) => ({ tool_calls: [{ index: call, function: { arguments: "{}" } }] }))
      .map((delta) => this.#choice({ index: candidate, delta, finish_reason: null }))
      .join("");
  }

  #opening(index: number): string {
    if (this.#opened.has(index)) return "";
    this.#opened.add(index);
    return this.#choice({ index, delta: { role: "assistant", content: "", refusal: null }, finish_reason: null });
  }

  #choice(choice: object): string {
    return this.#chunk({ choices: [choice], ...(this.#call.usageWanted && { usage: null }) });
  }

  #usage(): string {
    const usage = this.#call.usageWanted ? chatUsage(this.#tokens) : undefined;
    return usage === undefined ? "" : this.#chunk({ choices: [], usage });
  }

  #chunk(fields: object): string {
    const chunk = { id: this.#id, object: "chat.completion.chunk", created: this.#created, model: this.#model };
    return `data: ${JSON.stringify({ ...chunk, ...fields })}\n\n`;
  }
}
