import { plainCallId } from "../../conversation/call-id.ts";
import type { CallEvent, ResponseEvent } from "../../conversation/events.ts";
import { JsonEnd } from "./json-end.ts";

type ContentEvent = Extract<ResponseEvent, { type: "text" | "thinking" | "signature" | "redacted" | "refusal" }>;
type Kind = "text" | "refusal" | "thinking" | "redacted" | "call";

/** A call that waits for its turn. */
interface Waiting {
  readonly called: CallEvent;
  json: string;
}

/**
 * Anthropic's content blocks are sequential, while other vendors may interleave parallel calls: a
 * call that begins before another is complete is queued with its input, and so is text.
 */
export class BlockSequence {
  #index = -1;
  #open: Kind | undefined;
  #current: { call: number; end: JsonEnd } | undefined;
  readonly #queue: (Waiting | ContentEvent)[] = [];

  content(event: ContentEvent): string {
    if (this.#isBusy) {
      this.#queue.push(event);
      return "";
    }
    return this.#content(event);
  }

  call(called: CallEvent): string {
    if (this.#isBusy) {
      this.#queue.push({ called, json: "" });
      return "";
    }
    return this.#startCall(called);
  }

  input(call: number, json: string): string {
    if (this.#current?.call === call) {
      this.#current.end.push(json);
      const out = this.#inputDelta(json);
      return this.#isBusy ? out : out + this.#advance();
    }
    const waiting = this.#queue.find((item) => "called" in item && item.called.call === call);
    if (waiting !== undefined && "called" in waiting) waiting.json += json;
    return "";
  }

  /** Everything queued, and the end of the last block. */
  finish(): string {
    let out = "";
    while (this.#queue.length > 0) {
      this.#current = undefined;
      out += this.#next();
    }
    return out + this.#close();
  }

  get #isBusy(): boolean {
    return this.#current !== undefined && !this.#current.end.complete;
  }

  #advance(): string {
    let out = "";
    while (this.#queue.length > 0 && !this.#isBusy) out += this.#next();
    return out;
  }

  #next(): string {
    const item = this.#queue.shift();
    if (item === undefined) return "";
    if (!("called" in item)) return this.#content(item);
    const out = this.#startCall(item.called);
    if (item.json === "") return out;
    this.#current?.end.push(item.json);
    return out + this.#inputDelta(item.json);
  }

  #startCall(called: CallEvent): string {
    const { id, name, call } = called;
    this.#current = undefined;
    const out = this.#start("call", { type: "tool_use", id: plainCallId(id), name, input: {} });
    this.#current = { call, end: new JsonEnd() };
    return out;
  }

  #content(event: ContentEvent): string {
    switch (event.type) {
      case "text":
      case "refusal": {
        const open = this.#open === event.type ? "" : this.#start(event.type, { type: "text", text: "" });
        return open + this.#delta({ type: "text_delta", text: event.text });
      }
      case "thinking":
        return this.#thinking() + this.#delta({ type: "thinking_delta", thinking: event.text });
      case "signature":
        return this.#thinking() + this.#delta({ type: "signature_delta", signature: event.signature }) + this.#close();
      case "redacted":
        return this.#start("redacted", { type: "redacted_thinking", data: event.data }) + this.#close();
    }
  }

  #thinking(): string {
    if (this.#open === "thinking") return "";
    return this.#start("thinking", { type: "thinking", thinking: "", signature: "" });
  }

  #start(kind: Kind, block: object): string {
    const closed = this.#close();
    this.#open = kind;
    this.#index++;
    return closed + eventText("content_block_start", { index: this.#index, content_block: block });
  }

  #inputDelta(json: string): string {
    return this.#delta({ type: "input_json_delta", partial_json: json });
  }

  #delta(delta: object): string {
    return eventText("content_block_delta", { index: this.#index, delta });
  }

  #close(): string {
    if (this.#open === undefined) return "";
    this.#open = undefined;
    this.#current = undefined;
    return eventText("content_block_stop", { index: this.#index });
  }
}

/** One event of Anthropic's stream. */
export function eventText(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
