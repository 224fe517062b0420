import type { Upstream } from "@uag/catalog/types";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { type ResponseEvent, spokenText, unknownStop } from "../conversation/events.ts";
import { countOf, type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../conversation/fields.ts";
import { UpstreamFailure, unusableResponse } from "../failure.ts";
import type { ResponseReader } from "../translate/protocol.ts";
import type { UsageReport } from "../usage-report.ts";
import { GeminiCandidate } from "./candidate.ts";
import { geminiErrorInside } from "./errors.ts";
import { geminiUsage } from "./usage.ts";

/**
 * Reads Gemini's responses: every event of a stream is a complete response with part of the
 * content.
 */
export class GeminiReader implements ResponseReader {
  /** Only the end of the connection marks the last event. */
  readonly ended = false;
  soFar: UsageReport | undefined;
  readonly #upstream: Upstream;
  readonly #toolName: (name: string) => string;
  readonly #candidates = new Map<number, GeminiCandidate>();
  #blocked = false;
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
    return [...events, ...this.#missingStops(events), { type: "end" }];
  }

  event(event: SseEvent): ResponseEvent[] {
    return this.#response(parsedJson(event.text));
  }

  end(): ResponseEvent[] | undefined {
    return this.#allStopped ? [{ type: "end" }] : undefined;
  }

  get #allStopped(): boolean {
    const candidates = [...this.#candidates.values()];
    return this.#blocked || (candidates.length > 0 && candidates.every(({ stopped }) => stopped));
  }

  #response(value: unknown): ResponseEvent[] {
    const failure = geminiErrorInside(value, this.#upstream);
    if (failure !== undefined) throw failure.with({ usage: this.#reportOf(value) });
    if (!isFields(value)) throw unusableResponse("the upstream's response is not JSON");
    const events: ResponseEvent[] = [];
    if (!this.#started) {
      this.#started = true;
      events.push({ type: "start", id: textOf(value["responseId"]) ?? "", model: textOf(value["modelVersion"]) });
    }
    for (const item of listOf(value["candidates"])) events.push(...this.#candidate(fieldsOf(item)));
    return [...events, ...this.#promptBlock(fieldsOf(value["promptFeedback"])), ...this.#usage(value["usageMetadata"])];
  }

  #candidate(fields: Fields): ResponseEvent[] {
    const index = countOf(fields["index"]) ?? 0;
    const candidate = this.#candidates.get(index) ?? new GeminiCandidate(index, this.#toolName);
    this.#candidates.set(index, candidate);
    return candidate.read(fields);
  }

  /** A complete body is a complete response, even if it does not say why it ended. */
  #missingStops(events: readonly ResponseEvent[]): ResponseEvent[] {
    if (this.#allStopped) return [];
    if (this.#candidates.size > 0) {
      const open = [...this.#candidates.values()].filter(({ stopped }) => !stopped);
      return open.flatMap((candidate) => candidate.stop(undefined, undefined));
    }
    if (this.soFar === undefined) {
      const received = events.map(spokenText).join("");
      const reason = "the upstream's response has no content";
      throw received === ""
        ? new UpstreamFailure("transient", reason, { status: 200 })
        : unusableResponse(reason, { received });
    }
    this.#blocked = true;
    return unknownStop(0, "NO_CONTENT", undefined);
  }

  #usage(metadata: unknown): ResponseEvent[] {
    const counted = geminiUsage(fieldsOf(metadata));
    if (counted === undefined) return [];
    this.soFar = { units: counted.units, raw: Buffer.from(JSON.stringify(metadata)) };
    return [{ type: "usage", tokens: counted.tokens }];
  }

  /** The usage that an error reports. */
  #reportOf(error: unknown): UsageReport | undefined {
    const { usageMetadata } = fieldsOf(error);
    return this.#usage(usageMetadata).length > 0 ? this.soFar : undefined;
  }

  /** The reasons of `promptFeedback`: `SAFETY`, `MODEL_ARMOR` and any other. */
  #promptBlock({ blockReason, blockReasonMessage }: Fields): ResponseEvent[] {
    const reason = textOf(blockReason);
    if (reason === undefined || this.#candidates.size > 0 || this.#blocked) return [];
    this.#blocked = true;
    const details = textOf(blockReasonMessage);
    const text = `The provider blocked the prompt: ${reason}.${details ? ` ${details}` : ""}`;
    return [
      { type: "refusal", candidate: 0, text },
      { type: "stop", candidate: 0, reason: "refusal", stopSequence: undefined },
    ];
  }
}
