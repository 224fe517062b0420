import { SseDecoder } from "@uag/untrusted/sse/decoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { UpstreamFailure, unusableResponse } from "./failure.ts";
import type { Delivered, ResponseStream } from "./generation.ts";
import { EventCheck } from "./reading/event-check.ts";
import { eventFault } from "./response-limits.ts";
import { Runs } from "./runs.ts";
import type { UsageReport } from "./usage-report.ts";
import { wholeEvent } from "./whole-event.ts";

const blankLine = Buffer.from("\n\n");
const colon = 58;

/**
 * A stream for a client of the upstream's own format: events are passed on as received, except for
 * what would break the client's parser.
 */
export abstract class PassThroughStream implements ResponseStream {
  state: ResponseStream["state"] = "open";
  failure: UpstreamFailure | undefined;
  abstract readonly closing: Buffer;
  abstract readonly usage: UsageReport | undefined;
  abstract readonly delivered: Delivered;
  readonly #decoder = new SseDecoder();
  readonly #check: EventCheck;

  /** @param textMember the member of an event that holds the generated text */
  constructor(textMember: string) {
    this.#check = new EventCheck(textMember);
  }

  push(chunk: Buffer): Buffer[] {
    if (this.state !== "open") return [];
    const out = new Runs();
    for (const event of this.#decoder.push(chunk)) this.#accept(event, out);
    return out.buffers();
  }

  end(): Buffer[] {
    if (this.state !== "open") return [];
    const out = new Runs();
    const last = wholeEvent(this.#decoder.end());
    if (last !== undefined) this.#accept(last, out);
    if (this.state === "open" && this.isComplete) this.state = "finished";
    else if (this.state === "open") {
      this.fail(new UpstreamFailure("transient", "the stream ended before it was finished", { status: 200 }));
    }
    const buffers = out.buffers();
    // The last event lacks its terminating line.
    return buffers.length === 0 ? buffers : [...buffers, blankLine];
  }

  /** Whether the stream may end here, for a format without a terminator. */
  protected get isComplete(): boolean {
    return false;
  }

  /** Whether this data, which is not JSON, is the format's terminator. */
  protected isTerminator(_data: Buffer): boolean {
    return false;
  }

  /**
   * Takes an event of a stream that is open; adds what the client gets to `out`. Its data is a JSON
   * object.
   */
  protected abstract take(event: SseEvent, data: Buffer, out: Runs): void;

  protected fail(failure: UpstreamFailure): void {
    this.state = "failed";
    this.failure = failure;
  }

  #accept(event: SseEvent, out: Runs): void {
    if (this.state !== "open") return;
    const { data } = event;
    if (data === undefined || data.length === 0) {
      // Comments keep the connection alive; anything else that is not an event is not for the
      // client.
      if (event.source[event.start] === colon) out.add(event);
    } else if (this.isTerminator(data)) {
      this.state = "finished";
    } else this.#acceptObject(event, data, out);
  }

  #acceptObject(event: SseEvent, data: Buffer, out: Runs): void {
    const fault = eventFault(data);
    if (fault !== undefined) this.fail(fault);
    else if (this.#check.isObject(data)) this.take(event, data, out);
    else this.fail(unusableResponse("the upstream sent an event that is not a JSON object"));
  }
}
