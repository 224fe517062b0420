import type { Upstream } from "@uag/catalog/types";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { newCallId } from "../conversation/call-id.ts";
import { type ResponseEvent, type Tokens, unknownStop } from "../conversation/events.ts";
import { countOf, type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../conversation/fields.ts";
import { UpstreamFailure, unusableResponse } from "../failure.ts";
import type { ResponseReader } from "../translate/protocol.ts";
import type { UsageReport } from "../usage-report.ts";
import { CallPlaces } from "./call-places.ts";
import type { ResponseContext } from "./collect.ts";
import { contentPieces } from "./content-pieces.ts";
import { errorInside } from "./errors.ts";
import { stopReasonOf } from "./stop-reasons.ts";
import { thoughtUnitOf, tokensOfUsage, unitsOfUsage, usageIn } from "./usage.ts";
import type { OpenAiVariant } from "./variant.ts";

const candidate = 0;

/**
 * Reads the responses of OpenAI and compatible vendors. Only the first choice is read: other formats
 * have no more.
 */
export class OpenAiReader implements ResponseReader {
  ended = false;
  usage: UsageReport | undefined;
  readonly soFar = undefined;
  readonly #upstream: Upstream;
  readonly #variant: OpenAiVariant;
  readonly #toolName: (name: string) => string;
  readonly #thoughtUnit: ReturnType<typeof thoughtUnitOf>;
  readonly #calls = new CallPlaces();
  #started = false;
  #stopped = false;

  constructor(options: ResponseContext & { toolName: (name: string) => string }) {
    this.#upstream = options.upstream;
    this.#variant = options.variant;
    this.#toolName = options.toolName;
    this.#thoughtUnit = thoughtUnitOf(options.call.model);
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
    return this.#stopped && this.usage !== undefined ? this.#end() : undefined;
  }

  /** A response with calls and without a finish reason ends with the calls: agents run them. */
  #end(): ResponseEvent[] {
    if (this.#stopped || this.#calls.size === 0) return [{ type: "end" }];
    return [{ type: "stop", candidate, reason: "tools", stopSequence: undefined }, { type: "end" }];
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
    const choice = choices.find((item) => (countOf(item["index"]) ?? 0) === 0);
    if (choice !== undefined) events.push(...this.#message(choice, part), ...this.#stop(choice));
    const tokens = this.#counted(usageIn(value));
    if (tokens !== undefined) events.push({ type: "usage", tokens });
    return events;
  }

  #counted(usage: unknown): Tokens | undefined {
    const units = unitsOfUsage(usage, this.#thoughtUnit);
    if (units === undefined) return undefined;
    this.usage = { units, raw: Buffer.from(JSON.stringify(usage)) };
    return tokensOfUsage(usage, units);
  }

  #message(choice: Fields, part: "message" | "delta"): ResponseEvent[] {
    const message = fieldsOf(choice[part]);
    const logprobs = listOf(fieldsOf(choice["logprobs"])["content"]);
    const events: ResponseEvent[] = contentPieces(message).map(({ type, text }) =>
      type === "text" && logprobs.length > 0 ? { type, candidate, text, logprobs } : { type, candidate, text },
    );
    const refused = textOf(message["refusal"]) ?? "";
    if (refused !== "") events.push({ type: "refusal", candidate, text: refused });
    for (const item of listOf(message["tool_calls"])) events.push(...this.#call(fieldsOf(item)));
    return events;
  }

  #call(item: Fields): ResponseEvent[] {
    const { name, arguments: input } = fieldsOf(item["function"]);
    const { call, isNew } = this.#calls.find(item);
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

  #stop(choice: Fields): ResponseEvent[] {
    const reason = textOf(choice["finish_reason"]);
    if (reason === undefined || reason === "" || this.#stopped) return [];
    this.#stopped = true;
    const known = stopReasonOf(reason, this.#calls.size > 0);
    if (known === undefined) return unknownStop(candidate, reason, textOf(fieldsOf(choice["error"])["message"]));
    return [{ type: "stop", candidate, reason: known, stopSequence: undefined }];
  }
}

function broken(text: string): UpstreamFailure {
  return new UpstreamFailure("transient", text, { status: 200 });
}
