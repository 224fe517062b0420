import { Readable } from "node:stream";
import type { Timeouts, Transport } from "@uag/catalog/types";
import { crashPoint } from "@uag/runtime/crash-point";
import { currentTraceparent } from "@uag/runtime/tracing/traceparent";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { Dispatcher } from "undici";
import { UpstreamFailure } from "../failure.ts";
import { CallTimer } from "./call-timer.ts";
import { busy, wireFailure } from "./errors.ts";
import { type Headers, headerIn, headFault } from "./head.ts";
import type { OriginConnections } from "./origin-connections.ts";
import type { HttpPools } from "./pools.ts";
import { readBody } from "./read-body.ts";
import { type BodySink, type BodySource, ResponseBody } from "./response-body.ts";

export interface HttpRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: "POST" | "GET" | "PUT" | "DELETE";
  /** Names and values alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer | readonly Buffer[] | undefined;
  readonly timeouts: Timeouts;
  readonly transport: Transport;
  /** Aborting ends the call at once, along with its connection. */
  readonly signal: AbortSignal;
  /** Called when the whole request was written. */
  readonly onSent?: (() => void) | undefined;
}

/**
 * A response whose head has arrived. Its body must be consumed (`consume`, `read`) or dropped
 * (`cancel`).
 */
export interface HttpResponse {
  readonly status: number;
  header(name: string): string | undefined;
  consume(sink: BodySink): void;
  /**
   * The whole body, decompressed.
   * @param memory accounts for a body of more than a few KiB; reading pauses while there is no room
   * @throws {UpstreamFailure} with what was received, also when the decompressed body is longer
   * than `maxBytes`; then final, and read on for some time for its usage
   */
  read(maxBytes: number, memory?: ResponseMemory): Promise<Buffer>;
  /** Stops reading from the socket; the timeout between chunks is paused meanwhile. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

/**
 * Sends a request and resolves when the head of the response arrives, whatever its status.
 * @throws {UpstreamFailure} `unreachable`, `busy`, `timeout`, `transient`, or `cancelled` when the
 * signal aborts
 */
export function send(pools: HttpPools, request: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => new Call(request, resolve, reject).begin(pools));
}

/** A body in pieces is sent as a stream, under the length that it has in all. */
function sized(headers: string[], body: HttpRequest["body"]): Pick<Dispatcher.DispatchOptions, "headers" | "body"> {
  if (body === undefined || Buffer.isBuffer(body)) return { headers, body: body ?? null };
  const pieces = body as readonly Buffer[];
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return {
    headers: [...headers, "content-length", String(length)],
    body: Readable.from(pieces, { objectMode: false }),
  };
}

class Call implements Dispatcher.DispatchHandler, BodySource, HttpResponse {
  status = 0;
  #headers: Headers = {};
  /** Until it is sent. */
  #request: HttpRequest | undefined;
  #connections: OriginConnections | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #body: ResponseBody = new ResponseBody(this);
  /** All bytes have arrived. */
  #ended = false;
  #failure: UpstreamFailure | undefined;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (failure: UpstreamFailure) => void;
  readonly #signal: AbortSignal;
  readonly #onSent: (() => void) | undefined;
  /** The caller's trace context: the turn for a connection is granted from elsewhere. */
  readonly #traceparent = currentTraceparent();
  readonly #onAbort = (): void => this.cancel();
  readonly #timer: CallTimer;

  constructor(
    request: HttpRequest,
    resolve: (response: HttpResponse) => void,
    reject: (failure: UpstreamFailure) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = request.signal;
    this.#onSent = request.onSent;
    request.signal.addEventListener("abort", this.#onAbort);
    this.#timer = new CallTimer(request.timeouts, (reason) => this.#expired(reason));
  }

  begin(pools: HttpPools): void {
    const { signal, origin, timeouts, transport } = this.#request as HttpRequest;
    if (signal.aborted) {
      this.cancel();
      return;
    }
    try {
      this.#connections = pools.connectionsTo(origin, timeouts.connectMs, transport);
      if (this.#connections.calls.enter(this.#start)) return;
      this.#connections = undefined;
      this.#fail(busy("too many calls are waiting for a connection"));
    } catch (error) {
      this.broke(error);
    }
  }

  readonly #start = (): void => {
    const { origin, path, method, headers: own, body } = this.#request as HttpRequest;
    this.#request = undefined;
    const headers = this.#traceparent === undefined ? own : [...own, "traceparent", this.#traceparent];
    const options = { origin, path, method, ...sized(headers as string[], body) };
    this.#connections?.dispatcher.dispatch(options, this);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown here, the connection stays usable for the next call.
    if (this.#failure !== undefined) throw this.#failure;
    this.#controller = controller;
    this.#timer.sent();
  }

  onRequestSent(): void {
    this.#onSent?.();
    crashPoint("upstream-sent");
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 || this.#failure !== undefined) return;
    this.status = status;
    const fault = headFault(headers, controller.rawHeaders);
    if (fault !== undefined) {
      this.#fail(fault);
      return;
    }
    this.#headers = headers;
    this.#timer.headCame();
    this.#resolve(this);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    this.#timer.chunkCame();
    this.#body.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#failure !== undefined) return;
    this.#ended = true;
    this.#letGo();
    this.#body.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.broke(error);
  }

  header(name: string): string | undefined {
    return headerIn(this.#headers, name);
  }

  consume(sink: BodySink): void {
    this.#body.consume(sink, this.header("content-encoding")?.toLowerCase() || "identity");
  }

  async read(maxBytes: number, memory?: ResponseMemory): Promise<Buffer> {
    return await readBody(this, { maxBytes, memory, signal: this.#signal, fail: (failure) => this.#fail(failure) });
  }

  pause(): void {
    this.#body.pause();
  }

  resume(): void {
    this.#body.resume();
  }

  cancel(): void {
    this.#fail(new UpstreamFailure("cancelled", "the call was aborted", { status: this.status }));
  }

  stopReading(): void {
    if (this.#ended || this.#failure !== undefined) return;
    this.#controller?.pause();
    this.#timer.pause();
  }

  readOn(): void {
    if (this.#ended || this.#failure !== undefined) return;
    this.#timer.resume();
    this.#controller?.resume();
  }

  broke(error: unknown): void {
    this.#fail(wireFailure(error, this.status));
  }

  over(): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  #expired(reason: string): void {
    if (this.#controller !== undefined) {
      this.#fail(new UpstreamFailure("timeout", reason, { status: this.status }));
    } else if (this.#request !== undefined) this.#fail(busy("no connection became free within the timeout"));
    else this.#fail(new UpstreamFailure("unreachable", "no connection within the timeout"));
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#body.over || this.#failure !== undefined) return;
    this.#failure = failure;
    this.over();
    this.#letGo();
    this.#controller?.abort(failure);
    this.#reject(failure);
    this.#body.fail(failure);
  }

  /** Releases the connection's slot when the call is done or aborted. */
  #letGo(): void {
    this.#timer.stop();
    this.#connections?.calls.leave(this.#start);
    this.#connections = undefined;
  }
}
