import type { Upstream } from "@uag/catalog/types";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { type Fields, fieldsOf, parsedJson, textOf } from "../../conversation/fields.ts";
import { DeliveredText } from "../../delivered.ts";
import { UpstreamFailure } from "../../failure.ts";
import type { GenerationCall } from "../../generation.ts";
import { editMembers, topLevelMembers } from "../../json-edit.ts";
import { PassThroughStream } from "../../pass-through-stream.ts";
import { redact } from "../../redact.ts";
import type { Runs } from "../../runs.ts";
import type { UsageReport } from "../../usage-report.ts";
import type { OpenAiVariant } from "../variant.ts";
import { failureIn } from "./errors.ts";
import { eventText } from "./text.ts";
import { responsesUsageIn } from "./usage.ts";

const blankLine = Buffer.from("\n\n");

/** Events that end a response, with all of it (OpenAI's reference, streaming events). */
const terminal: ReadonlySet<string> = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** Whether an event of this type ends a response. */
export const isTerminal = (type: string): boolean => terminal.has(type);

/** Events whose text is counted if the usage never arrives. */
const counted = /\.delta$|^response\.output_item\.added$/;

/** Events before there is any output: a response that fails after them can still be made elsewhere. */
const opening: ReadonlySet<string> = new Set(["response.created", "response.queued", "response.in_progress"]);

/** Opening events that are held until there is output; each has the whole request. */
const maxOpening = 8;

/**
 * A stream of the Responses format for a client of the same format: each event is passed on as
 * received, the first ones with the output, and the last one once the bill is written.
 */
export class ResponsesStream extends PassThroughStream {
  closing: Buffer = Buffer.alloc(0);
  usage: UsageReport | undefined;
  readonly delivered = new DeliveredText(eventText);
  readonly #call: GenerationCall;
  readonly #upstream: Upstream;
  readonly #variant: OpenAiVariant;
  /** The events before the output; undefined once they are passed on. */
  #opening: Buffer[] | undefined = [];
  /** An error that the end of the failed response may follow. */
  #reported: UpstreamFailure | undefined;

  constructor(call: GenerationCall, upstream: Upstream, variant: OpenAiVariant) {
    super("delta");
    this.#call = call;
    this.#upstream = upstream;
    this.#variant = variant;
  }

  override push(chunk: Buffer): Buffer[] {
    const buffers = super.push(chunk);
    if (this.state === "open" && this.#reported !== undefined) this.fail(this.#reported);
    return buffers;
  }

  override end(): Buffer[] {
    const wasOpen = this.state === "open";
    const buffers = super.end();
    if (wasOpen && this.#reported !== undefined) this.fail(this.failure?.body ? this.failure : this.#reported);
    // The last event lacks its terminating line.
    if (wasOpen && this.closing.length > 0) this.closing = Buffer.concat([this.closing, blankLine]);
    return buffers;
  }

  protected override take(event: SseEvent, data: Buffer, out: Runs): void {
    const type = event.name || (textOf(fieldsOf(parsedJson(event.text))["type"]) ?? "");
    if (isTerminal(type)) this.#finish(event, data, out);
    else if (type === "error" || type === "") this.#error(event, out);
    else if (opening.has(type) && this.#opening !== undefined && this.#opening.length < maxOpening)
      this.#opening.push(Buffer.from(event.raw));
    else {
      if (counted.test(type)) this.delivered.add(data);
      this.#pass(event, out);
    }
  }

  #pass(event: SseEvent, out: Runs): void {
    this.#begin(out);
    out.add(event);
  }

  #begin(out: Runs): void {
    for (const bytes of this.#opening ?? []) out.insert(bytes);
    this.#opening = undefined;
  }

  #finish(event: SseEvent, data: Buffer, out: Runs): void {
    const response = fieldsOf(fieldsOf(parsedJson(event.text))["response"]);
    this.usage = responsesUsageIn(response, this.#call);
    const failure = failureIn(response, this.#upstream, this.#variant) ?? this.#reported;
    if (failure === undefined) {
      this.#begin(out);
      this.state = "finished";
      this.closing = Buffer.from(event.raw);
    } else this.fail(failure.with({ body: Buffer.from(this.#shown(data, response)) }));
  }

  /** An error event, or what a proxy sends for one; an event of another kind is passed on. */
  #error(event: SseEvent, out: Runs): void {
    const value = fieldsOf(parsedJson(event.text));
    const isError = event.name === "error" || value["type"] === "error";
    const failure = failureIn(
      { error: value["error"] ?? (isError ? value : undefined) },
      this.#upstream,
      this.#variant,
    );
    if (failure === undefined && !isError) this.#pass(event, out);
    else
      this.#reported = failure ?? new UpstreamFailure("transient", "the stream failed with an error", { status: 200 });
  }

  /** A failed response's event, its error without secrets. */
  #shown(data: Buffer, { error }: Fields): Buffer {
    const { message, ...others } = fieldsOf(error);
    const shown = { ...others, message: redact(textOf(message) ?? "", this.#upstream.provider) };
    const members = topLevelMembers(data);
    const member = members.findLast(({ key }) => key === "response");
    if (member === undefined) return data;
    const response = data.subarray(member.valueStart, member.end);
    const edited = editMembers(response, topLevelMembers(response), new Map([["error", JSON.stringify(shown)]]));
    return editMembers(data, members, new Map([["response", edited]]));
  }
}
