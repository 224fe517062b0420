import type { Upstream } from "@uag/catalog/types.ts";
import type { SseEvent } from "@uag/kit/sse/event.ts";
import type { ResponseEvent, StopReason } from "../conversation/events.ts";
import { type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
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
 * Reads Anthropic's answers. The use of Anthropic's own tools is left out: only their text concerns
 * the client.
 */
export class AnthropicReader implements ResponseReader {
  ended = false;
  readonly #upstream: Upstream;
  readonly #usage = new AnthropicUsage();
  /** By block index: the number of the call, for blocks that are calls. */
  readonly #calls = new Map<unknown, number>();
  #callCount = 0;
  #started = false;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
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
    if (!Array.isArray(message["content"])) throw broken("the upstream's answer is not a message");
    this.#usage.complete(message["usage"]);
    return [
      startOf(message),
      ...listOf(message["content"]).flatMap((block, index) => this.#completeBlock(fieldsOf(block), index)),
      ...stopOf(message),
      ...this.#tokens(),
      { type: "end" },
    ];
  }

  event(event: SseEvent): ResponseEvent[] {
    const data = parsedJson(event.text);
    if (!isFields(data)) throw broken("the upstream sent an event that is not JSON");
    switch (data["type"]) {
      case "message_start": {
        const message = fieldsOf(data["message"]);
        this.#usage.add(message["usage"], { final: false });
        this.#started = true;
        return [startOf(message), ...this.#tokens()];
      }
      case "content_block_start":
        return this.#opened(fieldsOf(data["content_block"]), data["index"]);
      case "content_block_delta":
        return this.#delta(fieldsOf(data["delta"]), data["index"]);
      case "message_delta": {
        const delta = fieldsOf(data["delta"]);
        this.#usage.add(data["usage"], { final: typeof delta["stop_reason"] === "string" });
        return [...stopOf(delta), ...this.#tokens()];
      }
      case "message_stop":
        this.ended = true;
        return [{ type: "end" }];
      case "ping":
        return this.#started ? [{ type: "idle" }] : [];
      case "error":
        throw anthropicErrorInside(event.text, this.#upstream) ?? broken("the stream broke with an error");
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

  #opened(block: Fields, index: unknown): ResponseEvent[] {
    switch (block["type"]) {
      case "tool_use": {
        const call = this.#callCount++;
        this.#calls.set(index, call);
        const id = textOf(block["id"]) ?? "";
        return [{ type: "call", candidate, call, id, name: textOf(block["name"]) ?? "", signature: undefined }];
      }
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
    const events = this.#opened(block, index);
    const call = this.#calls.get(index);
    if (call !== undefined) events.push({ type: "input", candidate, call, json: JSON.stringify(block["input"] ?? {}) });
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
  const reason = textOf(fields["stop_reason"]);
  if (reason === undefined) return [];
  const explanation = textOf(fieldsOf(fields["stop_details"])["explanation"]);
  const stop = {
    type: "stop",
    candidate,
    reason: reasons[reason] ?? "stop",
    stopSequence: textOf(fields["stop_sequence"]),
  } as const;
  return reason === "refusal" && explanation ? [{ type: "refusal", candidate, text: explanation }, stop] : [stop];
}

function textEvents(type: "text" | "thinking", text: unknown): ResponseEvent[] {
  return typeof text === "string" && text !== "" ? [{ type, candidate, text }] : [];
}

function broken(text: string): UpstreamFailure {
  return new UpstreamFailure("transient", text, { status: 200 });
}
