import type { Upstream } from "@uag/catalog/types.ts";
import type { SseEvent } from "@uag/kit/sse/event.ts";
import { newCallId, signedCallId } from "../conversation/call-id.ts";
import type { ResponseEvent } from "../conversation/events.ts";
import { countOf, type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import type { ResponseReader } from "../translate/protocol.ts";
import type { UsageReport } from "../usage-report.ts";
import { geminiErrorInside } from "./errors.ts";
import { isCallFault, stopReasonOf } from "./finish.ts";
import { geminiUsage } from "./usage.ts";

interface CandidateState {
  calls: number;
  stopped: boolean;
}

/**
 * Reads Gemini's answers: every event of a stream is a complete response with part of the content.
 */
export class GeminiReader implements ResponseReader {
  /** Only the end of the connection marks the last event. */
  readonly ended = false;
  soFar: UsageReport | undefined;
  readonly #upstream: Upstream;
  readonly #toolName: (name: string) => string;
  readonly #candidates = new Map<number, CandidateState>();
  #started = false;

  constructor(upstream: Upstream, toolName: (name: string) => string) {
    this.#upstream = upstream;
    this.#toolName = toolName;
  }

  get usage(): UsageReport | undefined {
    return this.#allStopped ? this.soFar : undefined;
  }

  body(body: Buffer): ResponseEvent[] {
    const events = this.#response(parsedJson(body.toString("utf8")));
    if (!this.#allStopped) throw broken("the upstream's answer has no end");
    return [...events, { type: "end" }];
  }

  event(event: SseEvent): ResponseEvent[] {
    return this.#response(parsedJson(event.text));
  }

  end(): ResponseEvent[] | undefined {
    return this.#allStopped ? [{ type: "end" }] : undefined;
  }

  get #allStopped(): boolean {
    return this.#candidates.size > 0 && [...this.#candidates.values()].every(({ stopped }) => stopped);
  }

  #response(value: unknown): ResponseEvent[] {
    const failure = geminiErrorInside(value, this.#upstream);
    if (failure !== undefined) throw failure;
    if (!isFields(value)) throw broken("the upstream's answer is not JSON");
    const events: ResponseEvent[] = [];
    if (!this.#started) {
      this.#started = true;
      events.push({ type: "start", id: textOf(value["responseId"]) ?? "", model: textOf(value["modelVersion"]) });
    }
    for (const item of listOf(value["candidates"])) events.push(...this.#candidate(fieldsOf(item)));
    const blocked = textOf(fieldsOf(value["promptFeedback"])["blockReason"]);
    if (blocked !== undefined && this.#candidates.size === 0) events.push(...this.#blocked(blocked));
    return [...events, ...this.#usage(value["usageMetadata"])];
  }

  #usage(metadata: unknown): ResponseEvent[] {
    const counted = isFields(metadata) ? geminiUsage(metadata) : undefined;
    if (counted === undefined) return [];
    this.soFar = { units: counted.units, raw: Buffer.from(JSON.stringify(metadata)) };
    return [{ type: "usage", tokens: counted.tokens }];
  }

  #blocked(reason: string): ResponseEvent[] {
    this.#candidates.set(0, { calls: 0, stopped: true });
    const text = `The provider blocked the prompt: ${reason}.`;
    return [
      { type: "refusal", candidate: 0, text },
      { type: "stop", candidate: 0, reason: "refusal", stopSequence: undefined },
    ];
  }

  #candidate(fields: Fields): ResponseEvent[] {
    const candidate = countOf(fields["index"]) ?? 0;
    const known = this.#candidates.get(candidate);
    const state = known ?? { calls: 0, stopped: false };
    this.#candidates.set(candidate, state);
    const parts = listOf(fieldsOf(fields["content"])["parts"]);
    const events = parts.flatMap((part) => this.#part(fieldsOf(part), candidate, state));
    const finish = textOf(fields["finishReason"]);
    if (finish === undefined || finish === "FINISH_REASON_UNSPECIFIED" || state.stopped) return events;
    if (isCallFault(finish)) throw broken(`the model's tool call failed: ${finish}`);
    state.stopped = true;
    const reason = stopReasonOf(finish, state.calls > 0);
    return [...events, { type: "stop", candidate, reason, stopSequence: undefined }];
  }

  #part(part: Fields, candidate: number, state: CandidateState): ResponseEvent[] {
    const text = textOf(part["text"]);
    if (text !== undefined && text !== "") {
      return [{ type: part["thought"] === true ? "thinking" : "text", candidate, text }];
    }
    if (!isFields(part["functionCall"])) return [];
    const { id, name, args } = part["functionCall"];
    const call = state.calls++;
    const signature = textOf(part["thoughtSignature"]);
    const ownId = signedCallId(textOf(id) || newCallId(), signature);
    return [
      { type: "call", candidate, call, id: ownId, name: this.#toolName(textOf(name) ?? ""), signature },
      { type: "input", candidate, call, json: JSON.stringify(fieldsOf(args)) },
    ];
  }
}

function broken(text: string): UpstreamFailure {
  return new UpstreamFailure("transient", text, { status: 200 });
}
