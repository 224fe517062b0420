import type { Timeouts } from "@uag/catalog/types.ts";
import { crashPoint } from "@uag/kit/crash-point.ts";
import { headerOf } from "@uag/kit/http/header-of.ts";
import { UpstreamFailure } from "../failure.ts";
import type { AnswerHead } from "./answer-head.ts";
import { CallTimer } from "./call-timer.ts";
import type { Connection, ConnectionUser } from "./connection.ts";
import { createDecompressor, decompressWhole } from "./decompress.ts";
import { wireFailure } from "./errors.ts";
import type { HttpPools } from "./pools.ts";

export interface HttpRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: "POST" | "GET" | "DELETE";
  /** Name and value by turns. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  readonly timeouts: Timeouts;
  /** Aborting ends the call at once, the connection with it. */
  readonly signal: AbortSignal;
}

/** Takes an answer's body as it comes. Exactly one of `end` and `error` is called, last. */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  error(failure: UpstreamFailure): void;
}

/** An answer whose head has come. Its body must be taken (`consume`, `read`) or given up (`cancel`). */
export interface HttpAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  consume(sink: BodySink): void;
  /** @throws {UpstreamFailure} also when the body is longer than `maxBytes` */
  read(maxBytes: number): Promise<Buffer>;
  /** Stops reading from the socket; the timeout between chunks rests meanwhile. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

/**
 * Sends a request and resolves when the head of the answer is there, whatever its status.
 * @throws {UpstreamFailure} `unreachable`, `timeout`, `transient`, or `cancelled` when the signal aborts
 */
export function send(pools: HttpPools, request: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const call = new Call(request, resolve, reject);
    if (request.signal.aborted) return call.cancel();
    call.use(pools.take(request.origin, request.timeouts.connectMs), request);
    crashPoint("upstream-sent");
  });
}

/** A sink is there as soon as its awaiting caller runs; until then the socket is not read much further. */
const mostEarlyBytes = 64 * 1024;

class Call implements ConnectionUser, HttpAnswer {
  status = 0;
  #headers: readonly string[] = [];
  #connection: Connection | undefined;
  #sink: BodySink | undefined;
  /** What came before the sink did. */
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #over = false;
  #failure: UpstreamFailure | undefined;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (failure: UpstreamFailure) => void;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.cancel();
  readonly #timer: CallTimer;

  constructor(request: HttpRequest, resolve: (answer: HttpAnswer) => void, reject: (failure: UpstreamFailure) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = request.signal;
    request.signal.addEventListener("abort", this.#onAbort);
    this.#timer = new CallTimer(request.timeouts, (reason) =>
      this.#fail(new UpstreamFailure("timeout", reason, { status: this.status })),
    );
  }

  use(connection: Connection, request: HttpRequest): void {
    this.#connection = connection;
    connection.send(request, this);
  }

  onSent(): void {
    this.#timer.go();
  }

  onHead({ status, headers }: AnswerHead): void {
    this.status = status;
    this.#headers = headers;
    this.#timer.headCame();
    this.#resolve(this);
  }

  onData(chunk: Buffer): void {
    this.#timer.chunkCame();
    if (this.#sink !== undefined) {
      this.#give(this.#sink, chunk);
      return;
    }
    this.#early.push(chunk);
    this.#earlyBytes += chunk.length;
    if (this.#earlyBytes <= mostEarlyBytes) return;
    this.#connection?.pause();
    this.#timer.rest();
  }

  onEnd(): void {
    if (this.#finish() && this.#sink !== undefined) giveWhole(this.#sink, [], undefined);
  }

  onFailed(failure: UpstreamFailure): void {
    this.#fail(failure);
  }

  header(name: string): string | undefined {
    return headerOf(this.#headers, name);
  }

  consume(sink: BodySink): void {
    const encoding = this.#encoding;
    let plain = sink;
    try {
      if (encoding !== "identity") plain = this.#decompressed(encoding, sink);
    } catch (error) {
      this.cancel();
      sink.error(wireFailure(error, this.status));
      return;
    }
    this.#take(plain);
  }

  async read(maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    await new Promise<void>((resolve, reject) => {
      this.#take({
        data: (chunk) => {
          size += chunk.length;
          if (size <= maxBytes) chunks.push(chunk);
          else this.#fail(new UpstreamFailure("transient", `the answer is longer than ${maxBytes} bytes`));
        },
        end: resolve,
        error: reject,
      });
    });
    const whole = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
    return this.#encoding === "identity" ? whole : decompressWhole(whole, this.#encoding, maxBytes);
  }

  pause(): void {
    if (this.#over) return;
    this.#connection?.pause();
    this.#timer.rest();
  }

  resume(): void {
    if (this.#over) return;
    this.#timer.go();
    this.#connection?.resume();
  }

  cancel(): void {
    this.#fail(new UpstreamFailure("cancelled", "the call was given up", { status: this.status }));
  }

  get #encoding(): string {
    return this.header("content-encoding")?.toLowerCase() || "identity";
  }

  #take(sink: BodySink): void {
    const early = this.#early;
    this.#early = [];
    if (this.#over) {
      giveWhole(sink, early, this.#failure);
      return;
    }
    this.#sink = sink;
    for (const chunk of early) if (!this.#over) this.#give(sink, chunk);
    if (this.#earlyBytes > mostEarlyBytes) this.resume();
  }

  #give(sink: BodySink, chunk: Buffer): void {
    try {
      sink.data(chunk);
    } catch (error) {
      this.#fail(wireFailure(error, this.status));
    }
  }

  #fail(failure: UpstreamFailure): void {
    if (!this.#finish()) return;
    this.#failure = failure;
    this.#connection?.close();
    this.#reject(failure);
    this.#sink?.error(failure);
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#timer.stop();
    this.#signal.removeEventListener("abort", this.#onAbort);
    return true;
  }

  #decompressed(encoding: string, sink: BodySink): BodySink {
    const stream = createDecompressor(encoding);
    stream.on("data", (chunk: Buffer) => sink.data(chunk));
    stream.on("end", () => sink.end());
    stream.on("error", (error) => sink.error(wireFailure(error, this.status)));
    stream.on("drain", () => this.resume());
    return {
      data: (chunk) => {
        if (!stream.write(chunk)) this.pause();
      },
      end: () => stream.end(),
      error: (failure) => {
        stream.removeAllListeners("data");
        stream.destroy();
        sink.error(failure);
      },
    };
  }
}

/** What is left of a body that is over, and its end. */
function giveWhole(sink: BodySink, chunks: readonly Buffer[], failure: UpstreamFailure | undefined): void {
  try {
    for (const chunk of chunks) sink.data(chunk);
    if (failure === undefined) sink.end();
  } catch (error) {
    sink.error(failure ?? wireFailure(error, 200));
    return;
  }
  if (failure !== undefined) sink.error(failure);
}
