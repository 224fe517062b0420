import type { Upstream } from "@uag/catalog/types";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { type ResponseEvent, type StopReason, unknownStop } from "../conversation/events.ts";
import { type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../conversation/fields.ts";
import { UpstreamFailure, unusableResponse } from "../failure.ts";
import type { ResponseReader } from "../translate/protocol.ts";
import { anthropicErrorInside } from "./errors.ts";
import { AnthropicUsage } from "./usage.ts";

const candidate = 0;

const reasons: Readonly<Record<string, StopReason>> = {
  end_turn: "stop",
  stop_sequence: "stop_sequence",
  max_tokens: "length",
  model_context_window_exceeded: "context_full",
  tool_use: "tools",
  refusal: "refusal",
  pause_turn: "pause",
};

/**
 * Reads Anthropic's responses. The use of Anthropic's own tools is left out: only their text
 * concerns the client.
 */
export class AnthropicReader implements ResponseReader {
  ended = false;
  readonly #upstream: Upstream;
  readonly #usage: AnthropicUsage;
  /** By block index: the number of the call, for calls whose input is still to come. */
  readonly #calls = new Map<unknown, number>();
  #callCount = 0;
  #started = false;
  #stopped = false;
  /** A content block has begun. */
  #opened = false;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
    this.#usage = new AnthropicUsage(upstream.model);
  }

  get usage() {
    return this.#usage.report;
  }

  get soFar() {
    return this.#usage.soFar;
  }

  body(body: Buffer): ResponseEvent[] {
    const text = body.toString("utf8");
    const failure = anthropicErrorInside(text, this.#upstream);
    if (failure !== undefined) throw failure;
    const message = fieldsOf(parsedJson(text));
    if (!Array.isArray(message["content"])) throw broken("the upstream's response is not a message");
    this.#usage.complete(message["usage"]);
    return [
      startOf(message),
      ...listOf(message["content"]).flatMap((block, index) => this.#completeBlock(fieldsOf(block), index)),
      ...this.#stop(message),
      ...this.#defaultStop(),
      ...this.#tokens(),
      { type: "end" },
    ];
  }

  event(event: SseEvent): ResponseEvent[] {
    const data = parsedJson(event.text);
    if (!isFields(data)) throw unusableResponse("the upstream sent an event that is not a JSON object");
    switch (data["type"]) {
      case "message_start": {
        if (this.#opened) throw unusableResponse("the upstream began another message in the same stream");
        const message = fieldsOf(data["message"]);
        this.#usage.add(message["usage"], { final: false });
        this.#started = true;
        return [startOf(message), ...this.#tokens()];
      }
      case "content_block_start":
        this.#opened = true;
        return this.#open(fieldsOf(data["content_block"]), data["index"]);
      case "content_block_delta":
        return this.#delta(fieldsOf(data["delta"]), data["index"]);
      case "message_delta": {
        const delta = fieldsOf(data["delta"]);
        this.#usage.addDelta(data["usage"], { final: typeof delta["stop_reason"] === "string" });
        return [...this.#stop(delta), ...this.#tokens()];
      }
      case "message_stop":
        this.#usage.end();
        this.ended = true;
        return [...this.#defaultStop(), { type: "end" }];
      case "ping":
        return this.#started ? [{ type: "idle" }] : [];
      case "error":
        this.#usage.add(data["usage"], { final: true });
        throw anthropicErrorInside(event.text, this.#upstream) ?? broken("the stream failed with an error");
      default:
        return [];
    }
  }

  end(): undefined {
    return undefined;
  }

  #tokens(): ResponseEvent[] {
    const { tokens } = this.#usage;
    return tokens === undefined ? [] : [{ type: "usage", tokens }];
  }

  #stop(fields: Fields): ResponseEvent[] {
    const events = stopOf(fields);
    if (events.length > 0) this.#stopped = true;
    return events;
  }

  /** A response that names no reason for its end has still ended: with its calls, if it has any. */
  #defaultStop(): ResponseEvent[] {
    if (this.#stopped) return [];
    return [{ type: "stop", candidate, reason: this.#callCount > 0 ? "tools" : "stop", stopSequence: undefined }];
  }

  #open(block: Fields, index: unknown): ResponseEvent[] {
    switch (block["type"]) {
      case "tool_use":
        return this.#call(block, index);
      case "redacted_thinking":
        return [{ type: "redacted", candidate, data: textOf(block["data"]) ?? "" }];
      case "text":
        return textEvents("text", block["text"]);
      case "thinking":
        return textEvents("thinking", block["thinking"]);
      default:
        return [];
    }
  }

  /**
   * The input of a call follows in deltas, unless it is already complete, as for calls made from
   * Anthropic's code execution.
   */
  #call(block: Fields, index: unknown): ResponseEvent[] {
    const call = this.#callCount++;
    const id = textOf(block["id"]) ?? "";
    const name = textOf(block["name"]) ?? "";
    const called: ResponseEvent = { type: "call", candidate, call, id, name, signature: undefined };
    const json = JSON.stringify(fieldsOf(block["input"]));
    if (json !== "{}") return [called, { type: "input", candidate, call, json }];
    this.#calls.set(index, call);
    return [called];
  }

  #delta(delta: Fields, index: unknown): ResponseEvent[] {
    switch (delta["type"]) {
      case "text_delta":
        return textEvents("text", delta["text"]);
      case "thinking_delta":
        return textEvents("thinking", delta["thinking"]);
      case "signature_delta":
        return [{ type: "signature", candidate, signature: textOf(delta["signature"]) ?? "" }];
      case "input_json_delta": {
        const call = this.#calls.get(index);
        const json = textOf(delta["partial_json"]) ?? "";
        return call === undefined || json === "" ? [] : [{ type: "input", candidate, call, json }];
      }
      default:
        return [];
    }
  }

  #completeBlock(block: Fields, index: number): ResponseEvent[] {
    const events = this.#open(block, index);
    const call = this.#calls.get(index);
    if (call !== undefined) events.push({ type: "input", candidate, call, json: "{}" });
    if (block["type"] === "thinking") {
      events.push({ type: "signature", candidate, signature: textOf(block["signature"]) ?? "" });
    }
    return events;
  }
}

function startOf(message: Fields): ResponseEvent {
  return { type: "start", id: textOf(message["id"]) ?? "", model: textOf(message["model"]) };
}

function stopOf(fields: Fields): ResponseEvent[] {
  const name = textOf(fields["stop_reason"]);
  if (name === undefined || name === "") return [];
  const reason = reasons[name];
  if (reason === undefined) return unknownStop(candidate, name);
  const explanation = textOf(fieldsOf(fields["stop_details"])["explanation"]);
  const stopSequence = textOf(fields["stop_sequence"]);
  const stop: ResponseEvent = { type: "stop", candidate, reason, stopSequence };
  return reason === "refusal" && explanation ? [{ type: "refusal", candidate, text: explanation }, stop] : [stop];
}

function textEvents(type: "text" | "thinking", text: unknown): ResponseEvent[] {
  return typeof text === "string" && text !== "" ? [{ type, candidate, text }] : [];
}

function broken(text: string): UpstreamFailure {
  return new UpstreamFailure("transient", text, { status: 200 });
}
