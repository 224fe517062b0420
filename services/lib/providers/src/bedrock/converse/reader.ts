import type { SseEvent } from "@uag/untrusted/sse/event";
import { type ResponseEvent, type StopReason, unknownStop } from "../../conversation/events.ts";
import { type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../../conversation/fields.ts";
import { UpstreamFailure, unusableResponse } from "../../failure.ts";
import { checkCallOrdinal } from "../../response-limits.ts";
import type { ResponseReader } from "../../translate/protocol.ts";
import type { UsageReport } from "../../usage-report.ts";
import { converseReport, converseTokens } from "./usage.ts";

const candidate = 0;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, `stopReason` */
const reasons: Readonly<Record<string, StopReason>> = {
  end_turn: "stop",
  stop_sequence: "stop_sequence",
  max_tokens: "length",
  tool_use: "tools",
  content_filtered: "refusal",
  guardrail_intervened: "refusal",
  model_context_window_exceeded: "context_full",
};

/** Reads responses of Converse and ConverseStream. */
export class ConverseReader implements ResponseReader {
  ended = false;
  usage: UsageReport | undefined;
  readonly #toolName: (name: string) => string;
  /** Numbers of calls by the index of their block. */
  readonly #calls = new Map<unknown, number>();
  #stopped = false;

  constructor(toolName: (name: string) => string) {
    this.#toolName = toolName;
  }

  /** All usage is in the last event. */
  get soFar(): UsageReport | undefined {
    return this.usage;
  }

  body(body: Buffer): ResponseEvent[] {
    const { output, stopReason, usage } = fieldsOf(parsedJson(body.toString("utf8")));
    const { message } = fieldsOf(output);
    if (!isFields(message))
      throw new UpstreamFailure("transient", "the upstream's response has no message", { status: 200 });
    return [
      start,
      ...listOf(message["content"]).flatMap((block, index) => this.#block(fieldsOf(block), index)),
      ...this.#stop(stopReason),
      ...this.#tokens(usage),
      { type: "end" },
    ];
  }

  event(event: SseEvent): ResponseEvent[] {
    const data = parsedJson(event.text);
    if (!isFields(data)) throw unusableResponse("the upstream sent an event that is not a JSON object");
    switch (event.name) {
      case "messageStart":
        return [start];
      case "contentBlockStart":
        return this.#open(fieldsOf(data["start"]), data["contentBlockIndex"]);
      case "contentBlockDelta":
        return this.#delta(fieldsOf(data["delta"]), data["contentBlockIndex"]);
      case "messageStop":
        return this.#stop(data["stopReason"]);
      case "metadata":
        // It follows the stop, so that a stream without one was cut.
        if (!this.#stopped) return this.#tokens(data["usage"]);
        this.ended = true;
        return [...this.#tokens(data["usage"]), { type: "end" }];
      default:
        return [];
    }
  }

  end(): ResponseEvent[] | undefined {
    return this.#stopped ? [{ type: "end" }] : undefined;
  }

  #tokens(usage: unknown): ResponseEvent[] {
    const tokens = converseTokens(usage);
    if (tokens === undefined) return [];
    this.usage = converseReport(usage);
    return [{ type: "usage", tokens }];
  }

  #stop(reason: unknown): ResponseEvent[] {
    this.#stopped = true;
    const name = textOf(reason) ?? (this.#calls.size > 0 ? "tool_use" : "end_turn");
    const known = reasons[name];
    if (known === undefined) return unknownStop(candidate, name);
    return [{ type: "stop", candidate, reason: known, stopSequence: undefined }];
  }

  #block({ text, toolUse, reasoningContent }: Fields, index: number): ResponseEvent[] {
    if (isFields(toolUse)) {
      const json = JSON.stringify(toolUse["input"] ?? {});
      return [...this.#open({ toolUse }, index), ...this.#delta({ toolUse: { input: json } }, index)];
    }
    const { reasoningText } = fieldsOf(reasoningContent);
    return this.#delta({ text, reasoningContent: reasoningText }, index);
  }

  #open({ toolUse }: Fields, index: unknown): ResponseEvent[] {
    if (!isFields(toolUse)) return [];
    const call = this.#calls.size;
    checkCallOrdinal(call);
    this.#calls.set(index, call);
    const name = this.#toolName(textOf(toolUse["name"]) ?? "");
    return [{ type: "call", candidate, call, id: textOf(toolUse["toolUseId"]) ?? "", name, signature: undefined }];
  }

  /** What signs a model's reasoning is left out: it is not sent back. */
  #delta({ text, toolUse, reasoningContent }: Fields, index: unknown): ResponseEvent[] {
    const call = this.#calls.get(index);
    const json = textOf(fieldsOf(toolUse)["input"]) ?? "";
    if (call !== undefined && json !== "") return [{ type: "input", candidate, call, json }];
    const thinking = textOf(fieldsOf(reasoningContent)["text"]) ?? "";
    if (thinking !== "") return [{ type: "thinking", candidate, text: thinking }];
    return typeof text === "string" && text !== "" ? [{ type: "text", candidate, text }] : [];
  }
}

/** Responses have neither an id nor the name of the model. */
const start: ResponseEvent = { type: "start", id: "", model: undefined };
