import type { Upstream } from "@uag/catalog/types";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { newCallId } from "../conversation/call-id.ts";
import { type ResponseEvent, type Tokens, unknownStop } from "../conversation/events.ts";
import { countOf, type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../conversation/fields.ts";
import { UpstreamFailure, unusableResponse } from "../failure.ts";
import type { GenerationCall } from "../generation.ts";
import type { ResponseReader } from "../translate/protocol.ts";
import type { UsageReport } from "../usage-report.ts";
import { CallPlaces } from "./call-places.ts";
import type { ResponseContext } from "./collect.ts";
import { contentPieces } from "./content-pieces.ts";
import { errorInside } from "./errors.ts";
import { stopReasonOf } from "./stop-reasons.ts";
import { thoughtUnitOf, tokensOfUsage, unitsOfUsage, usageIn } from "./usage.ts";
import type { OpenAiVariant } from "./variant.ts";

interface ReaderOptions extends Omit<ResponseContext, "call"> {
  readonly call: Pick<GenerationCall, "fields" | "model">;
  readonly toolName: (name: string) => string;
}

/** What is known of one choice. */
class Choice {
  readonly candidate: number;
  readonly calls = new CallPlaces();
  isStopped = false;

  constructor(candidate: number) {
    this.candidate = candidate;
  }
}

/** Reads the responses of OpenAI and compatible vendors: as many choices as the request asks for. */
export class OpenAiReader implements ResponseReader {
  ended = false;
  usage: UsageReport | undefined;
  readonly soFar = undefined;
  readonly #upstream: Upstream;
  readonly #variant: OpenAiVariant;
  readonly #toolName: (name: string) => string;
  readonly #thoughtUnit: ReturnType<typeof thoughtUnitOf>;
  /** The choices begun so far, by index. */
  readonly #choices = new Map<number, Choice>();
  readonly #maxChoices: number;
  #started = false;

  constructor(options: ReaderOptions) {
    this.#upstream = options.upstream;
    this.#variant = options.variant;
    this.#toolName = options.toolName;
    this.#thoughtUnit = thoughtUnitOf(options.call.model);
    this.#maxChoices = Math.max(1, countOf(options.call.fields["n"]) ?? 1);
  }

  body(body: Buffer): ResponseEvent[] {
    const value = this.#checked(parsedJson(body.toString("utf8")));
    if (listOf(value["choices"]).length === 0) throw broken("the upstream's response has no choices");
    return [...this.#chunk(value, "message"), ...this.#end()];
  }

  event(event: SseEvent): ResponseEvent[] {
    const { text } = event;
    if (text === "[DONE]") {
      this.ended = true;
      return this.#end();
    }
    return this.#chunk(this.#checked(parsedJson(text)), "delta");
  }

  /** Some vendors omit the terminator: a stream with a finish reason and usage is complete. */
  end(): ResponseEvent[] | undefined {
    const isComplete = this.#choices.size > 0 && [...this.#choices.values()].every(({ isStopped }) => isStopped);
    return isComplete && this.usage !== undefined ? this.#end() : undefined;
  }

  /** A choice with calls and without a finish reason ends with the calls: agents run them. */
  #end(): ResponseEvent[] {
    const called = [...this.#choices.values()].filter(({ isStopped, calls }) => !isStopped && calls.size > 0);
    const stops = called.map(
      ({ candidate }): ResponseEvent => ({ type: "stop", candidate, reason: "tools", stopSequence: undefined }),
    );
    return [...stops, { type: "end" }];
  }

  #checked(value: unknown): Fields {
    const failure = errorInside(value, this.#upstream, this.#variant);
    if (failure !== undefined) {
      this.#counted(fieldsOf(value)["usage"]);
      throw failure;
    }
    if (!isFields(value)) throw unusableResponse("the upstream's response is not a JSON object");
    return value;
  }

  #chunk(value: Fields, part: "message" | "delta"): ResponseEvent[] {
    const events: ResponseEvent[] = [];
    const choices = listOf(value["choices"]).map(fieldsOf);
    const id = textOf(value["id"]) ?? "";
    // Azure sends a chunk about the prompt first, without an id.
    if (!this.#started && (id !== "" || choices.length > 0)) {
      this.#started = true;
      events.push({ type: "start", id, model: textOf(value["model"]) || undefined });
    }
    for (const item of choices) {
      const choice = this.#choiceAt(countOf(item["index"]) ?? 0);
      if (choice !== undefined) events.push(...this.#message(choice, item, part), ...this.#stop(choice, item));
    }
    const tokens = this.#counted(usageIn(value));
    if (tokens !== undefined) events.push({ type: "usage", tokens });
    return events;
  }

  /** Undefined for a choice that was not asked for. */
  #choiceAt(index: number): Choice | undefined {
    if (index >= this.#maxChoices) return undefined;
    const choice = this.#choices.get(index) ?? new Choice(index);
    this.#choices.set(index, choice);
    return choice;
  }

  #counted(usage: unknown): Tokens | undefined {
    const units = unitsOfUsage(usage, this.#thoughtUnit);
    if (units === undefined) return undefined;
    this.usage = { units, raw: Buffer.from(JSON.stringify(usage)) };
    return tokensOfUsage(usage, units);
  }

  #message(choice: Choice, item: Fields, part: "message" | "delta"): ResponseEvent[] {
    const { candidate } = choice;
    const message = fieldsOf(item[part]);
    const logprobs = listOf(fieldsOf(item["logprobs"])["content"]);
    const events: ResponseEvent[] = contentPieces(message).map(({ type, text }) =>
      type === "text" && logprobs.length > 0 ? { type, candidate, text, logprobs } : { type, candidate, text },
    );
    const refused = textOf(message["refusal"]) ?? "";
    if (refused !== "") events.push({ type: "refusal", candidate, text: refused });
    for (const called of listOf(message["tool_calls"])) events.push(...this.#call(choice, fieldsOf(called)));
    return events;
  }

  #call({ candidate, calls }: Choice, item: Fields): ResponseEvent[] {
    const { name, arguments: input } = fieldsOf(item["function"]);
    const { call, isNew } = calls.find(item);
    const events: ResponseEvent[] = [];
    if (isNew) {
      const id = textOf(item["id"]) || newCallId();
      const called = this.#toolName(textOf(name) ?? "");
      events.push({ type: "call", candidate, call, id, name: called, signature: undefined });
    }
    const json = typeof input === "string" ? input : isFields(input) ? JSON.stringify(input) : "";
    if (json !== "") events.push({ type: "input", candidate, call, json });
    return events;
  }

  #stop(choice: Choice, item: Fields): ResponseEvent[] {
    const reason = textOf(item["finish_reason"]);
    if (reason === undefined || reason === "" || choice.isStopped) return [];
    choice.isStopped = true;
    const { candidate, calls } = choice;
    const known = stopReasonOf(reason, calls.size > 0);
    if (known === undefined) return unknownStop(candidate, reason, textOf(fieldsOf(item["error"])["message"]));
    return [{ type: "stop", candidate, reason: known, stopSequence: undefined }];
  }
}

function broken(text: string): UpstreamFailure {
  return new UpstreamFailure("transient", text, { status: 200 });
}
