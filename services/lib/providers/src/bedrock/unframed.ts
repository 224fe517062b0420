import { UpstreamFailure } from "../failure.ts";
import type { HttpResponse } from "../http/call.ts";
import type { BodySink } from "../http/response-body.ts";
import { type EventMessage, EventStreamDecoder } from "./event-stream.ts";

/** A message as a server-sent event; empty for one that the reader need not have. @throws {UpstreamFailure} */
export type AsSse = (message: EventMessage) => string;

/** A response whose event stream is read as server-sent events; any other body is left as it is. */
export const unframed = (response: HttpResponse, asSse: AsSse): HttpResponse => ({
  status: response.status,
  header: (name) => response.header(name),
  consume: (sink) => response.consume(new UnframingSink(sink, asSse, () => response.cancel())),
  // An event stream that was not asked for is no response.
  read: (maxBytes, memory) => response.read(maxBytes, memory),
  pause: () => response.pause(),
  resume: () => response.resume(),
  cancel: () => response.cancel(),
});

class UnframingSink implements BodySink {
  readonly #sink: BodySink;
  readonly #asSse: AsSse;
  readonly #cancel: () => void;
  readonly #decoder = new EventStreamDecoder();
  /** By the first byte, as content types are wrong too often. */
  #isFramed: boolean | undefined;
  #failed = false;

  constructor(sink: BodySink, asSse: AsSse, cancel: () => void) {
    this.#sink = sink;
    this.#asSse = asSse;
    this.#cancel = cancel;
  }

  data(chunk: Buffer): void {
    if (this.#failed || chunk.length === 0) return;
    // A message begins with its length, below 16 MiB; neither JSON nor text begins with a zero.
    this.#isFramed ??= chunk[0] === 0;
    if (this.#isFramed) this.#decode(chunk);
    else this.#sink.data(chunk);
  }

  end(): void {
    if (!this.#failed) this.#sink.end();
  }

  error(failure: UpstreamFailure): void {
    if (!this.#failed) this.#sink.error(failure);
  }

  #decode(chunk: Buffer): void {
    let events = "";
    let failure: UpstreamFailure | undefined;
    try {
      this.#decoder.push(chunk, (message) => {
        events += this.#asSse(message);
      });
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      failure = error;
    }
    if (events !== "") this.#sink.data(Buffer.from(events));
    if (failure === undefined) return;
    this.#failed = true;
    this.#sink.error(failure);
    this.#cancel();
  }
}
