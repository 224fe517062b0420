import { SseTooLargeError } from "@uag/untrusted/sse/decoder";
import { type UpstreamFailure, unusableResponse } from "./failure.ts";
import type { ResponseStream } from "./generation.ts";
import type { HttpResponse } from "./http/call.ts";
import type { BodySink } from "./http/response-body.ts";

/**
 * How long a finished stream's connection may take to end before it is cut; one that ends can be
 * reused.
 */
const lingerMs = 1_000;
/** Bytes that may be buffered for the consumer before the upstream is paused. */
const waitingBytes = 256 * 1024;

/** A stream whose end may take more than one turn of the event loop. */
export interface LiveSource extends Omit<ResponseStream, "end"> {
  end(): Buffer[] | Promise<Buffer[]>;
}

export interface StreamConsumer {
  /** Bytes for the client, in its own format. */
  output(bytes: Buffer): void;
  /** Called once, last: the stream has finished or failed. */
  over(): void;
}

/** A stream in progress, connecting an upstream's response to its consumer. */
export class LiveStream implements BodySink {
  readonly stream: LiveSource;
  /** Why the stream broke, if it did. */
  failure: UpstreamFailure | undefined;
  readonly #response: HttpResponse;
  #waiting: Buffer[] = [];
  #waitingSize = 0;
  #consumer: StreamConsumer | undefined;
  #opened: { resolve: () => void; reject: (failure: UpstreamFailure) => void } | undefined;
  #over = false;
  #ended = false;

  constructor(stream: LiveSource, response: HttpResponse) {
    this.stream = stream;
    this.#response = response;
  }

  /**
   * Resolves when there is output for the client, or the stream has finished.
   * @throws {UpstreamFailure} when it failed before that: another upstream can still be tried
   */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#opened = { resolve, reject };
      this.#response.consume(this);
    });
  }

  attach(consumer: StreamConsumer): void {
    this.#consumer = consumer;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const bytes of waiting) consumer.output(bytes);
    if (this.#over) consumer.over();
    else if (this.#waitingSize > waitingBytes) this.#response.resume();
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  cancel(): void {
    this.#response.cancel();
  }

  data(chunk: Buffer): void {
    if (this.#over) return;
    try {
      for (const bytes of this.stream.push(chunk)) this.#output(bytes);
    } catch (error) {
      if (!(error instanceof SseTooLargeError)) throw error;
      this.error(unusableResponse(error.message, { cause: error }));
      return;
    }
    if (this.stream.state !== "open") this.#finish(this.stream.failure);
  }

  end(): void {
    this.#ended = true;
    if (this.#over) return;
    const last = this.stream.end();
    if (Array.isArray(last)) this.#last(last);
    else
      last
        .then((buffers) => this.#last(buffers))
        .catch((error: unknown) => this.error(unusableResponse("its end cannot be read", { cause: error })));
  }

  #last(buffers: readonly Buffer[]): void {
    if (this.#over) return;
    for (const bytes of buffers) this.#output(bytes);
    this.#finish(this.stream.failure);
  }

  error(failure: UpstreamFailure): void {
    this.#ended = true;
    if (!this.#over) this.#finish(failure);
  }

  #output(bytes: Buffer): void {
    if (this.#consumer !== undefined) {
      this.#consumer.output(bytes);
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingSize += bytes.length;
    if (this.#waitingSize > waitingBytes) this.#response.pause();
    this.#opened?.resolve();
  }

  /** What the upstream charges for a stream that failed before the client got anything of it. */
  #charged(failure: UpstreamFailure): UpstreamFailure {
    const { usage, soFar, delivered } = this.stream;
    if (failure.kind === "cancelled") return failure;
    // A count so far is not all of a response that cannot be read.
    const reported = failure.usage ?? usage ?? (failure.received === undefined ? soFar : undefined);
    if (reported !== undefined) return failure.with({ usage: reported });
    return delivered.text === "" ? failure : failure.with({ received: delivered.text });
  }

  #finish(broken: UpstreamFailure | undefined): void {
    this.#over = true;
    const failure = broken?.of(this.#response);
    this.failure = failure;
    if (failure !== undefined) {
      this.#response.cancel();
      this.#opened?.reject(this.#charged(failure));
    } else {
      this.#opened?.resolve();
      if (!this.#ended) setTimeout(() => this.#response.cancel(), lingerMs).unref();
    }
    this.#consumer?.over();
  }
}
