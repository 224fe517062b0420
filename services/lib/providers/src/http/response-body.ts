import type { UpstreamFailure } from "../failure.ts";
import { Inflater } from "./inflater.ts";

/**
 * Receives a response's body. Exactly one of `end` and `error` is called, last; `error` must not
 * throw.
 */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  error(failure: UpstreamFailure): void;
}

/** The source of a body. */
export interface BodySource {
  stopReading(): void;
  readOn(): void;
  /** The reader or the decompressor failed: respond with `fail`. */
  broke(error: unknown): void;
  /** `end` of the sink was called. */
  over(): void;
}

/**
 * A sink is attached as soon as the awaiting caller runs; until then little more is read from the
 * socket.
 */
const maxEarlyBytes = 64 * 1024;

/**
 * Passes one response's body from the connection to its sink, decompressing it if the upstream
 * compressed it.
 */
export class ResponseBody {
  readonly #source: BodySource;
  #sink: BodySink | undefined;
  #inflater: Inflater | undefined;
  /** Data that arrived before the sink was attached. */
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #ended = false;
  #failure: UpstreamFailure | undefined;
  /** `end` or `error` of the sink was called. */
  #over = false;

  constructor(source: BodySource) {
    this.#source = source;
  }

  get over(): boolean {
    return this.#over;
  }

  push(chunk: Buffer): void {
    if (this.#sink !== undefined) {
      this.#take(chunk);
      return;
    }
    this.#early.push(chunk);
    this.#earlyBytes += chunk.length;
    if (this.#earlyBytes > maxEarlyBytes) this.#source.stopReading();
  }

  /** All bytes have arrived. */
  end(): void {
    this.#ended = true;
    if (this.#sink !== undefined) this.#end();
  }

  fail(failure: UpstreamFailure): void {
    this.#failure = failure;
    this.#inflater?.destroy();
    this.#notifyFailure(failure);
  }

  /** @param encoding value of `content-encoding` */
  consume(sink: BodySink, encoding: string): void {
    this.#sink = sink;
    if (encoding !== "identity" && this.#failure === undefined) this.#inflate(encoding);
    const early = this.#early;
    this.#early = [];
    for (const chunk of early) {
      if (this.#over) return;
      this.#take(chunk);
    }
    if (this.#failure !== undefined) this.#notifyFailure(this.#failure);
    else if (this.#ended) this.#end();
    else if (this.#earlyBytes > maxEarlyBytes) this.#source.readOn();
  }

  pause(): void {
    if (this.#inflater === undefined) this.#source.stopReading();
    else this.#inflater.pause();
  }

  resume(): void {
    if (this.#inflater === undefined) this.#source.readOn();
    else this.#inflater.resume();
  }

  #inflate(encoding: string): void {
    const source = this.#source;
    try {
      this.#inflater = new Inflater(encoding, {
        data: (chunk) => this.#push(chunk),
        end: () => this.#notifyEnd(),
        error: (error) => source.broke(error),
        full: () => source.stopReading(),
        drained: () => source.readOn(),
      });
    } catch (error) {
      source.broke(error);
    }
  }

  #take(chunk: Buffer): void {
    if (this.#inflater === undefined) this.#push(chunk);
    else this.#inflater.write(chunk);
  }

  #push(chunk: Buffer): void {
    if (this.#over) return;
    try {
      this.#sink?.data(chunk);
    } catch (error) {
      this.#source.broke(error);
    }
  }

  #end(): void {
    if (this.#inflater === undefined) this.#notifyEnd();
    else this.#inflater.end();
  }

  #notifyEnd(): void {
    if (this.#over) return;
    try {
      this.#sink?.end();
    } catch (error) {
      this.#source.broke(error);
      return;
    }
    this.#over = true;
    this.#source.over();
  }

  #notifyFailure(failure: UpstreamFailure): void {
    if (this.#over || this.#sink === undefined) return;
    this.#over = true;
    this.#sink.error(failure);
  }
}
