import { SseDecoder } from "@uag/kit/sse/decoder.ts";
import type { SseEvent } from "@uag/kit/sse/event.ts";
import { UpstreamFailure } from "./failure.ts";
import type { Delivered, ResponseStream } from "./generation.ts";
import { Runs } from "./runs.ts";
import type { UsageReport } from "./usage-report.ts";

const blankLine = Buffer.from("\n\n");

/** A stream for a client of the upstream's own format: events are passed on as received. */
export abstract class PassThroughStream implements ResponseStream {
  state: ResponseStream["state"] = "open";
  failure: UpstreamFailure | undefined;
  abstract readonly closing: Buffer;
  abstract readonly usage: UsageReport | undefined;
  abstract readonly delivered: Delivered;
  readonly #decoder = new SseDecoder();

  push(chunk: Buffer): Buffer[] {
    if (this.state !== "open") return [];
    const out = new Runs();
    for (const event of this.#decoder.push(chunk)) if (this.state === "open") this.take(event, out);
    return out.buffers();
  }

  end(): Buffer[] {
    if (this.state !== "open") return [];
    const out = new Runs();
    const last = this.#decoder.end();
    if (last !== undefined) this.take(last, out);
    if (this.state === "open") {
      this.fail(new UpstreamFailure("transient", "the stream ended before it was finished", { status: 200 }));
    }
    const buffers = out.buffers();
    // The last event lacks its terminating line.
    return buffers.length === 0 ? buffers : [...buffers, blankLine];
  }

  /** Takes an event of a stream that is open; adds what the client gets to `out`. */
  protected abstract take(event: SseEvent, out: Runs): void;

  protected fail(failure: UpstreamFailure): void {
    this.state = "failed";
    this.failure = failure;
  }
}
