import type { Deadlines, Timed } from "@uag/runtime/deadlines";
import { headerOf } from "@uag/runtime/http/header-of";
import type { BatchWriter } from "./batch-writer.ts";
import type { BodyBufferOptions } from "./body-buffer.ts";
import { LinkError } from "./errors.ts";
import type { OpenFrame } from "./frames.ts";
import { Inbox } from "./inbox.ts";
import { Outbox } from "./outbox.ts";
import type { Emitter, Sender } from "./sender.ts";

/** Bounds of reading a whole body. */
export type ReadBodyOptions = Pick<BodyBufferOptions, "maxBytes" | "take">;

/** A handler's view of an exchange: one request and the means to respond to it. */
export interface LinkExchange {
  readonly operation: string;
  readonly requestId: string;
  /** Path and query as the client sent them. */
  readonly target: string;
  /** Alternating name and value, names in lower case. */
  readonly headers: readonly string[];
  /** The context that the calling end attached, encoded. */
  readonly context: Buffer;
  readonly bodyless: boolean;
  /**
   * Aborts, with a LinkError as its reason, when the caller disconnects, the deadline passes or the
   * link breaks.
   */
  readonly signal: AbortSignal;
  /** True once its whole response was sent or it was aborted. */
  readonly over: boolean;
  /** The first value of a header, by its lower-case name. */
  header(name: string): string | undefined;
  /**
   * The request body as it arrives; single reader. Backpressure: unread bytes stop the sender.
   * Throws the signal's reason.
   */
  body(): AsyncIterable<Buffer>;
  /**
   * The whole request body. `take` is called before bytes are buffered, with their number (with the
   * full length at once for a long body that declares it); it may throw to refuse them.
   * @throws {LinkError} `too_large`, or the signal's reason; what `take` throws
   */
  readBody(options: ReadBodyOptions): Promise<Buffer>;
  head(status: number, headers: readonly string[]): void;
  /**
   * False when the writer should await `drained`. Do not modify the chunk afterwards. Ignored once
   * the exchange is over.
   */
  write(chunk: Buffer): boolean;
  /** Rejects with the signal's reason when the exchange is aborted. */
  drained(): Promise<void>;
  end(): void;
  /**
   * Ends a response that cannot be completed: the caller gets `failed` with this code, after what
   * was written.
   */
  fail(errorCode: string): void;
  /** Sends head, whole body and end at once. */
  respond(status: number, headers: readonly string[], body: Buffer): void;
}

/** What an exchange needs from its link. */
export interface ExchangeHost {
  wake(exchange: ServerExchange): void;
  /** The response is complete (its last frame is in a batch) or the exchange was aborted. */
  finished(exchange: ServerExchange): void;
  sendCancel(id: number, reason: string): void;
  readonly deadlines: Deadlines;
}

/**
 * The error for a body reader after the response is complete. Shared: creating one per exchange
 * would cost a stack trace.
 */
const overError = new LinkError("closed", "the exchange is over");

/** An exchange as its peer opened it. */
export interface OpenedExchange {
  readonly id: number;
  /** The operation's current name. */
  readonly operation: string;
  readonly open: OpenFrame;
}

/** The service's end of one exchange. */
export class ServerExchange implements LinkExchange, Emitter, Timed {
  readonly id: number;
  readonly operation: string;
  turnAt: Sender | undefined;
  dueAt = 0;
  slot = -1;
  readonly #host: ExchangeHost;
  readonly #open: OpenFrame;
  readonly #inbox: Inbox;
  readonly #outbox = new Outbox({ replayable: false });
  #status = 0;
  #headers: readonly string[] | undefined;
  #headed = false;
  #ended = false;
  #errorCode = "";
  #over = false;
  #abortion: LinkError | undefined;
  #controller: AbortController | undefined;

  constructor(host: ExchangeHost, { id, operation, open }: OpenedExchange) {
    this.#host = host;
    this.id = id;
    this.operation = operation;
    this.#open = open;
    this.#inbox = new Inbox({ ended: open.bodyless, onOwed: () => host.wake(this) });
    if (open.deadlineMs > 0) host.deadlines.set(this, performance.now() + open.deadlineMs);
  }

  get requestId(): string {
    return this.#open.requestId;
  }
  get target(): string {
    return this.#open.target;
  }
  get headers(): readonly string[] {
    return this.#open.headers;
  }
  get context(): Buffer {
    return this.#open.context;
  }
  get bodyless(): boolean {
    return this.#open.bodyless;
  }
  get over(): boolean {
    return this.#over;
  }
  /** True once the handler has nothing more to do. */
  get responded(): boolean {
    return this.#ended || this.#over;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abortion !== undefined) this.#controller.abort(this.#abortion);
    return this.#controller.signal;
  }

  header(name: string): string | undefined {
    return headerOf(this.#open.headers, name);
  }

  body(): AsyncIterable<Buffer> {
    return this.#inbox.chunks();
  }

  readBody({ maxBytes, take }: ReadBodyOptions): Promise<Buffer> {
    const reported = this.header("content-length");
    return this.#inbox.whole({
      maxBytes,
      take,
      length: reported === undefined ? undefined : Number.parseInt(reported, 10),
    });
  }

  head(status: number, headers: readonly string[]): void {
    if (this.#over) return;
    if (this.#headed) throw new Error("the response's head was sent twice");
    this.#headed = true;
    this.#status = status;
    this.#headers = headers;
    this.#host.wake(this);
  }

  write(chunk: Buffer): boolean {
    if (this.#over) return false;
    if (!this.#headed || this.#ended) throw new Error("response bytes must follow the head and precede the end");
    const more = this.#outbox.push(chunk);
    this.#host.wake(this);
    return more;
  }

  drained(): Promise<void> {
    return this.#outbox.drained();
  }

  end(): void {
    if (this.#over) return;
    if (!this.#headed || this.#ended) throw new Error("a response must end once, after its head");
    this.#ended = true;
    this.#host.wake(this);
  }

  fail(errorCode: string): void {
    if (this.#over || this.#ended) return;
    this.#ended = true;
    this.#errorCode = errorCode === "" ? "unknown" : errorCode;
    this.#host.wake(this);
  }

  respond(status: number, headers: readonly string[], body: Buffer): void {
    this.head(status, headers);
    this.write(body);
    this.end();
  }

  emit(writer: BatchWriter): boolean {
    if (this.#over) return false;
    const credit = this.#inbox.ended ? 0 : this.#inbox.window.grant();
    if (credit > 0) writer.credit(this.id, credit);
    if (this.#headers !== undefined) {
      const headers = this.#headers;
      this.#headers = undefined;
      if (!writer.head(this.id, this.#status, headers)) return this.#tooLarge(writer);
    }
    if (this.#outbox.sendable) this.#outbox.emit(writer, "chunk", this.id);
    if (!this.#ended || !this.#outbox.empty) return this.#outbox.sendable;
    writer.trailer(this.id, this.#errorCode);
    this.#finish(overError);
    return false;
  }

  /** Aborts the exchange (caller gone, deadline passed, link broken): nothing more is sent. */
  abort(error: LinkError): void {
    if (this.#over) return;
    this.#abortion = error;
    this.#finish(error);
    this.#controller?.abort(error);
  }

  onBody(bytes: Buffer): void {
    this.#inbox.push(bytes);
  }

  onBodyEnd(): void {
    this.#inbox.end();
  }

  onCredit(bytes: number): void {
    if (!this.#outbox.addCredit(bytes)) throw new LinkError("protocol", "credit exceeds the window");
    if (this.#outbox.sendable) this.#host.wake(this);
  }

  onDue(): void {
    this.#host.sendCancel(this.id, "deadline");
    this.abort(new LinkError("deadline", "the deadline was exceeded"));
  }

  #tooLarge(writer: BatchWriter): boolean {
    writer.trailer(this.id, "head_too_large");
    this.abort(new LinkError("too_large", "the response's headers are too long"));
    return false;
  }

  #finish(error: LinkError): void {
    this.#over = true;
    this.#host.deadlines.clear(this);
    this.#inbox.fail(error);
    this.#outbox.close(error);
    this.#host.finished(this);
  }
}
