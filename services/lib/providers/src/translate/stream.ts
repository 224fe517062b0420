import { SseDecoder } from "@uag/untrusted/sse/decoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { type ResponseEvent, spokenText } from "../conversation/events.ts";
import { SpokenText } from "../delivered.ts";
import { UpstreamFailure } from "../failure.ts";
import type { Delivered, ResponseStream } from "../generation.ts";
import { eventFault } from "../response-limits.ts";
import type { UsageReport } from "../usage-report.ts";
import { wholeEvent } from "../whole-event.ts";
import type { ResponseWriter } from "./client.ts";
import type { ResponseReader } from "./protocol.ts";

/** Translates an upstream's stream for a client of another format, event by event. */
export class TranslatedStream implements ResponseStream {
  state: ResponseStream["state"] = "open";
  failure: UpstreamFailure | undefined;
  readonly #decoder = new SseDecoder();
  readonly #reader: ResponseReader;
  readonly #writer: ResponseWriter;
  readonly #spoken = new SpokenText();

  constructor(reader: ResponseReader, writer: ResponseWriter) {
    this.#reader = reader;
    this.#writer = writer;
  }

  get closing(): Buffer {
    return this.#writer.closing;
  }

  get usage(): UsageReport | undefined {
    return this.#reader.usage;
  }

  get soFar(): UsageReport | undefined {
    return this.#reader.soFar;
  }

  get delivered(): Delivered {
    return this.#spoken;
  }

  push(chunk: Buffer): Buffer[] {
    if (this.state !== "open") return [];
    let out = "";
    for (const event of this.#decoder.push(chunk)) out += this.#take(event);
    return buffers(out);
  }

  end(): Buffer[] {
    if (this.state !== "open") return [];
    const last = wholeEvent(this.#decoder.end());
    let out = last === undefined ? "" : this.#take(last);
    if (this.state === "open") {
      const events = this.#reader.end();
      if (events === undefined) {
        this.#fail(new UpstreamFailure("transient", "the stream ended before it was finished", { status: 200 }));
      } else {
        out += this.#write(events);
        this.state = "finished";
      }
    }
    return buffers(out);
  }

  #take(event: SseEvent): string {
    // Empty data dispatches nothing (WHATWG HTML, 9.2.6).
    if (this.state !== "open" || event.data === undefined || event.data.length === 0) return "";
    try {
      const fault = eventFault(event.data);
      if (fault !== undefined) throw fault;
      const out = this.#write(this.#reader.event(event));
      if (this.#reader.ended) this.state = "finished";
      return out;
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      this.#fail(error);
      return "";
    }
  }

  #write(events: readonly ResponseEvent[]): string {
    let out = "";
    for (const event of events) {
      this.#spoken.add(spokenText(event));
      out += this.#writer.write(event);
    }
    return out;
  }

  #fail(failure: UpstreamFailure): void {
    this.state = "failed";
    this.failure = failure;
  }
}

function buffers(text: string): Buffer[] {
  return text === "" ? [] : [Buffer.from(text)];
}
