import type { Writable } from "node:stream";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { errorEvent } from "@uag/contract/errors/shapes";
import { formerName } from "@uag/contract/former-operations";
import type { ForwardRoute } from "@uag/contract/routes";
import type { LinkCall, LinkResponse } from "@uag/link/call";
import type { LinkClient } from "@uag/link/client";
import type { LinkError } from "@uag/link/errors";
import { headerOf } from "@uag/runtime/http/header-of";
import type { Logger } from "@uag/runtime/log";
import type { OpenRequests } from "@uag/runtime/open-requests";
import { logServerError } from "@uag/runtime/server-error";
import type { Request } from "express";
import { discardBody } from "./discard.ts";
import { chunkOf, isEventStream, lastChunk } from "./event-chunk.ts";
import { appendResponseHeaders, forwardedHeaders, type HeaderList } from "./headers.ts";
import { isReportedByService, linkFailure } from "./link-failure.ts";
import { bodyTooLarge } from "./middleware/body-limits.ts";
import { sendError } from "./middleware/errors.ts";
import { withTrace } from "./middleware/trace.ts";
import { closeWithConnection } from "./pipelined.ts";
import type { GatewayResponse, Handler } from "./request-state.ts";
import { errorShapeOf, responseHeaders } from "./respond.ts";
import { cutResponse } from "./truncated-response.ts";
import type { Upload, UploadWatch } from "./upload-watch.ts";

export interface ForwardOptions {
  route: ForwardRoute;
  link: LinkClient;
  log: Logger;
  uploads: UploadWatch;
  open: OpenRequests;
  /** Milliseconds. */
  deadlineMs: number;
}

/**
 * Forwards a request to a capability service over its link, and the response back, neither read nor
 * modified on the way.
 */
export function forward(options: ForwardOptions): Handler {
  return (request, response) => {
    // The client may have disconnected while its key was looked up.
    if (!response.destroyed) new Exchange(options, request, response).start();
  };
}

const newline = 10;
/** Up to this size a response is written as one string with its head, in a single write. */
const textBytes = 16 * 1024;

/**
 * One request and its response, with backpressure both ways: what one side does not read is not
 * requested from the other.
 */
class Exchange implements LinkResponse, Upload {
  readonly #options: ForwardOptions;
  readonly #request: Request;
  readonly #response: GatewayResponse;
  #call: LinkCall | undefined;
  #received = 0;
  #status = 0;
  #headers: HeaderList = [];
  /**
   * The first bytes, held back for the rest of the turn: a response that ends with them is sent
   * whole, with its length.
   */
  #first: Buffer | undefined;
  #headSent = false;
  /** The response's chunks are framed here rather than by node. */
  #framed = false;
  /** Where the response's bytes are written. */
  #out: Writable;
  #idleMs = 0;
  #unread = 0;
  #lastByte = newline;

  constructor(options: ForwardOptions, request: Request, response: GatewayResponse) {
    this.#options = options;
    this.#request = request;
    this.#response = response;
    this.#out = response;
  }

  start(): void {
    const { route, link, deadlineMs, open } = this.#options;
    const request = this.#request;
    const { requestId, key } = this.#response.locals;
    if (key === undefined) throw new Error("a request is forwarded only with a key");
    const bodyless = route.body === "none";
    open.enter(key.keyId);
    this.#response.once("close", () => {
      open.leave(key.keyId);
      this.#onClose();
    });
    this.#call = link.open(
      {
        operation: formerName(route.operation),
        requestId,
        target: request.originalUrl,
        headers: withTrace(forwardedHeaders(request.rawHeaders), this.#response.locals),
        context: key.context,
        affinity: key.accountId,
        deadlineMs,
        bodyless,
      },
      this,
    );
    // A pipelined request whose turn has not come is not notified when its connection closes.
    if (this.#response.socket === null) closeWithConnection(request, this.#response);
    if (!bodyless) this.#readBody();
  }

  get received(): number {
    return this.#received;
  }

  get waitsForClient(): boolean {
    return !this.#request.isPaused();
  }

  abandon(error: GatewayError): void {
    this.#options.uploads.delete(this);
    this.#call?.cancel(error.code);
    logServerError(this.#options.log, error, { requestId: this.#response.locals.requestId });
    this.#response.locals.failure = error.code;
    if (this.#headSent) {
      this.#response.destroy();
      return;
    }
    this.#headSent = true;
    sendError(this.#request, this.#response, error);
  }

  onHead(status: number, headers: readonly string[]): void {
    this.#status = status;
    this.#headers = responseHeaders(this.#request, this.#response);
    appendResponseHeaders(this.#headers, headers);
    process.nextTick(sendHeadOf, this);
  }

  onChunk(chunk: Buffer): void {
    if (this.#headSent) this.#write(chunk);
    else if (this.#first === undefined) this.#first = chunk;
    else {
      this.sendHead();
      this.#write(chunk);
    }
  }

  onEnd(): void {
    const response = this.#response;
    if (response.destroyed) return;
    if (this.#headSent) {
      if (this.#out !== response) response.socket?.setTimeout(this.#idleMs);
      response.end(this.#framed ? lastChunk : undefined);
    } else {
      const headers = this.#headers;
      const bodyAllowed = this.#status !== 204 && this.#status !== 304;
      if (bodyAllowed && headerOf(headers, "content-length") === undefined)
        headers.push("content-length", String(this.#first?.length ?? 0));
      if (!this.#writeHead()) return;
      const body = this.#first;
      if (body !== undefined && body.length <= textBytes) response.end(body.toString("latin1"), "latin1");
      else response.end(body);
    }
    if (!this.#request.complete) discardBody(this.#request, () => undefined);
  }

  onError(failure: LinkError): void {
    const response = this.#response;
    if (failure.code === "cancelled" || response.destroyed) return;
    const error = linkFailure(failure);
    const reported = isReportedByService(failure);
    response.locals.failure = failure.message;
    // What a service reported, it has logged.
    if (!reported) logServerError(this.#options.log, error, { requestId: response.locals.requestId });
    if (reported && this.#first !== undefined) this.sendHead();
    if (!this.#headSent) {
      this.#headSent = true;
      sendError(this.#request, response, error);
      return;
    }
    // The last event is only understood at the start of a line.
    const events = isEventStream(this.#headers);
    if (events && !reported && this.#lastByte === newline)
      this.#send(
        Buffer.from(errorEvent(errorShapeOf(this.#request, response), { error, requestId: response.locals.requestId })),
      );
    cutResponse(this.#request, response, { afterReading: events });
  }

  sendHead(): void {
    if (this.#headSent || this.#response.destroyed) return;
    const { httpVersionMinor, method } = this.#request;
    const framed = this.#status === 200 && httpVersionMinor === 1 && method === "POST" && isEventStream(this.#headers);
    if (framed) this.#headers.push("transfer-encoding", "chunked");
    if (!this.#writeHead()) return;
    this.#framed = framed;
    if (framed) this.#response.chunkedEncoding = false;
    if (this.#first === undefined) this.#response.flushHeaders();
    else this.#write(this.#first);
    this.#first = undefined;
    if (framed) this.#writeStraight();
  }

  /**
   * After its head, an event stream needs nothing of what node does for each write of a response.
   */
  #writeStraight(): void {
    const { socket } = this.#response;
    if (socket === null) return;
    this.#out = socket;
    // Each write would restart the socket's timer; until the stream's end the exchange has a
    // deadline of its own.
    this.#idleMs = socket.timeout ?? 0;
    socket.setTimeout(0);
  }

  /** Returns false when the service's head is invalid: the client has received an error instead. */
  #writeHead(): boolean {
    try {
      this.#response.writeHead(this.#status, this.#headers);
      this.#headSent = true;
    } catch (error) {
      this.abandon(new GatewayError("internal_error", undefined, { cause: error }));
      return false;
    }
    return true;
  }

  #write(chunk: Buffer): void {
    const response = this.#response;
    if (response.destroyed) return;
    this.#lastByte = chunk[chunk.length - 1] as number;
    const more = this.#send(chunk);
    if (more && this.#unread === 0) {
      this.#call?.consumed(chunk.length);
      return;
    }
    if (this.#unread === 0) this.#out.once("drain", () => this.#onDrain());
    this.#unread += chunk.length;
  }

  #send(bytes: Buffer): boolean {
    return this.#framed ? this.#out.write(chunkOf(bytes), "latin1") : this.#out.write(bytes);
  }

  #onDrain(): void {
    const bytes = this.#unread;
    this.#unread = 0;
    this.#call?.consumed(bytes);
  }

  #readBody(): void {
    const request = this.#request;
    if (request.headers["expect"] !== undefined) this.#response.writeContinue();
    this.#options.uploads.add(this);
    request.on("data", (chunk: Buffer) => this.#onBody(chunk));
    request.on("end", () => {
      this.#options.uploads.delete(this);
      this.#call?.endBody();
    });
  }

  #onBody(chunk: Buffer): void {
    const call = this.#call;
    if (call === undefined || call.over) return;
    this.#received += chunk.length;
    const { maxBodyBytes } = this.#options.route;
    if (this.#received > maxBodyBytes) {
      this.abandon(bodyTooLarge(maxBodyBytes));
      return;
    }
    if (call.writeBody(chunk)) return;
    this.#request.pause();
    void call.bodyDrained().then(() => this.#request.resume());
  }

  #onClose(): void {
    this.#options.uploads.delete(this);
    if (this.#call?.over !== false) return;
    this.#response.locals.failure ??= "client_closed_request";
    this.#call.cancel("the client disconnected");
  }
}

function sendHeadOf(exchange: Exchange): void {
  exchange.sendHead();
}
