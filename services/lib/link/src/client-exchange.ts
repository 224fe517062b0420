import type { Deadlines, Timed } from "@uag/runtime/deadlines";
import type { BatchWriter } from "./batch-writer.ts";
import type { LinkCall, LinkRequest, LinkResponse } from "./call.ts";
import { LinkError } from "./errors.ts";
import type { OpenFrame } from "./frames.ts";
import { Outbox } from "./outbox.ts";
import { ReceiveWindow } from "./receive-window.ts";
import type { Emitter, Sender } from "./sender.ts";

/** What an exchange needs from its link. */
export interface CallLink {
  readonly address: string;
  wake(call: ClientExchange): void;
  /** Assigns the id of an exchange as its open is sent: ids increase in the order of opens. */
  assignId(call: ClientExchange): number;
  /** Ends the exchange; `resetCode` is set when the peer has it and must drop it. */
  release(call: ClientExchange, resetCode: string | undefined): void;
}

/** What an exchange needs from the client that opened it. */
export interface CallHost {
  readonly deadlines: Deadlines;
  /** Moves the exchange to another link; no handler has seen it. */
  reopen(call: ClientExchange, refusal: string): void;
  /** The exchange is over, whether or not it was on a link. */
  finished(call: ClientExchange): void;
  onCallbackFailed(call: ClientExchange, error: unknown): void;
}

const nobody: string[] = [];

/** Half the range of the frame's uint32: 24 days. */
const maxDeadlineMs = 2 ** 31;

/**
 * The router's end of one exchange. It survives the loss of its link as long as the service cannot
 * have seen it: it is then opened on another replica.
 */
export class ClientExchange implements LinkCall, Emitter, Timed {
  /** 0 until its first frame is sent. */
  id = 0;
  turnAt: Sender | undefined;
  dueAt = 0;
  slot = -1;
  /** How often it was reopened. */
  restarts = 0;
  /** Addresses of the replicas that refused it. */
  refusedBy: string[] = nobody;
  readonly request: LinkRequest;
  readonly #host: CallHost;
  readonly #response: LinkResponse;
  readonly #outbox = new Outbox({ replayable: true });
  readonly #window = new ReceiveWindow();
  readonly #deadlineAt: number;
  #waitUntil = Number.POSITIVE_INFINITY;
  #link: CallLink | undefined;
  #opened = false;
  #bodyEnded: boolean;
  #endSent: boolean;
  #headed = false;
  #over = false;
  readonly #onAbort = (): void => this.cancel("the caller aborted the exchange");

  constructor(host: CallHost, request: LinkRequest, response: LinkResponse) {
    this.#host = host;
    this.request = request;
    this.#response = response;
    this.#bodyEnded = request.bodyless === true;
    this.#endSent = this.#bodyEnded;
    const deadlineMs = request.deadlineMs ?? 0;
    this.#deadlineAt = deadlineMs > 0 ? performance.now() + deadlineMs : Number.POSITIVE_INFINITY;
    request.signal?.addEventListener("abort", this.#onAbort);
  }

  get over(): boolean {
    return this.#over;
  }

  writeBody(chunk: Buffer): boolean {
    if (this.#over) return true;
    if (this.#bodyEnded) throw new Error("writeBody was called after endBody");
    const more = this.#outbox.push(chunk);
    this.#link?.wake(this);
    return more;
  }

  bodyDrained(): Promise<void> {
    return this.#over ? Promise.resolve() : this.#outbox.drained().catch(() => {});
  }

  endBody(): void {
    if (this.#over) return;
    if (this.#bodyEnded) throw new Error("endBody was called twice");
    this.#bodyEnded = true;
    this.#link?.wake(this);
  }

  consumed(bytes: number): void {
    if (!this.#over && this.#window.consume(bytes)) this.#link?.wake(this);
  }

  cancel(reason: string): void {
    this.finish(new LinkError("cancelled", reason, { seen: this.#opened }), reason);
  }

  /** Waits for a link at most until this time, on the clock of performance.now(). */
  park(until: number): void {
    this.#waitUntil = until;
    this.#host.deadlines.set(this, Math.min(until, this.#deadlineAt));
  }

  attach(link: CallLink): void {
    this.#link = link;
    this.#waitUntil = Number.POSITIVE_INFINITY;
    if (this.#deadlineAt !== Number.POSITIVE_INFINITY) this.#host.deadlines.set(this, this.#deadlineAt);
    else this.#host.deadlines.clear(this);
    link.wake(this);
  }

  emit(writer: BatchWriter): boolean {
    if (this.#over) return false;
    if (!this.#opened) {
      this.id = this.#link?.assignId(this) ?? 0;
      if (!writer.open(this.id, this.#openFrame())) {
        this.finish(new LinkError("too_large", "the request's headers are too long", { seen: false }), undefined);
        return false;
      }
      this.#opened = true;
    }
    const credit = this.#window.grant();
    if (credit > 0) writer.credit(this.id, credit);
    if (this.#outbox.sendable) this.#outbox.emit(writer, "body", this.id);
    if (this.#bodyEnded && !this.#endSent && this.#outbox.empty) {
      writer.end(this.id);
      this.#endSent = true;
    }
    return this.#outbox.sendable;
  }

  onHead(status: number, headers: string[]): void {
    if (this.#headed) throw new LinkError("protocol", "a second head of one response");
    this.#headed = true;
    this.#outbox.commit();
    try {
      this.#response.onHead(status, headers);
    } catch (error) {
      this.#callbackFailed(error);
    }
  }

  onChunk(bytes: Buffer): void {
    if (!this.#headed) throw new LinkError("protocol", "chunk before head");
    if (!this.#window.receive(bytes.length)) throw new LinkError("protocol", "response exceeds its window");
    if (bytes.length === 0) return;
    try {
      this.#response.onChunk(bytes);
    } catch (error) {
      this.#callbackFailed(error);
    }
  }

  onTrailer(errorCode: string): void {
    if (errorCode === "" && !this.#headed) throw new LinkError("protocol", "a response ended without a head");
    this.finish(errorCode === "" ? undefined : new LinkError("failed", errorCode), undefined);
  }

  onCredit(bytes: number): void {
    this.#outbox.commit();
    if (!this.#outbox.addCredit(bytes)) throw new LinkError("protocol", "credit exceeds the window");
    if (this.#outbox.sendable) this.#link?.wake(this);
  }

  onCancel(reason: string, refused: boolean): void {
    if (!refused) {
      this.finish(new LinkError(reason === "deadline" ? "deadline" : "aborted", reason), undefined);
      return;
    }
    if (!this.#outbox.replayable) throw new LinkError("protocol", "refused after it was accepted");
    if (this.#link !== undefined) this.refusedBy = [...this.refusedBy, this.#link.address];
    this.#reopen(reason);
  }

  /** The link broke. An exchange that was never sent is reopened on another. */
  onBroken(error: LinkError): void {
    if (this.#opened) this.finish(error, undefined);
    else this.#reopen(error.reason);
  }

  onDue(now: number): void {
    if (now >= this.#deadlineAt) {
      this.finish(new LinkError("deadline", "the deadline was exceeded", { seen: this.#opened }), "deadline");
    } else if (now >= this.#waitUntil) {
      this.finish(new LinkError("unavailable", "no replica became ready in time"), undefined);
    }
  }

  /** Ends the exchange once: without an error, its response is complete. */
  finish(error: LinkError | undefined, resetCode: string | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#host.deadlines.clear(this);
    this.request.signal?.removeEventListener("abort", this.#onAbort);
    this.#link?.release(this, this.#opened ? resetCode : undefined);
    this.#host.finished(this);
    this.#outbox.close(error);
    try {
      if (error === undefined) this.#response.onEnd();
      else this.#response.onError(error);
    } catch (failure) {
      this.#host.onCallbackFailed(this, failure);
    }
  }

  /** Reopens the exchange on another link: no handler has seen it. */
  #reopen(refusal: string): void {
    this.#link?.release(this, undefined);
    this.#link = undefined;
    this.turnAt = undefined;
    this.id = 0;
    this.#opened = false;
    this.#endSent = this.request.bodyless === true;
    this.#outbox.rewind();
    this.#host.reopen(this, refusal);
  }

  #openFrame(): OpenFrame {
    const { operation, requestId, target, headers, context, bodyless } = this.request;
    const left = this.#deadlineAt === Number.POSITIVE_INFINITY ? 0 : this.#deadlineAt - performance.now();
    const deadlineMs = left === 0 ? 0 : Math.min(Math.max(1, Math.ceil(left)), maxDeadlineMs);
    return { operation, requestId, target, headers, context, deadlineMs, bodyless: bodyless === true };
  }

  #callbackFailed(error: unknown): void {
    this.#host.onCallbackFailed(this, error);
    this.finish(new LinkError("cancelled", "a callback failed", { cause: error }), "the caller failed");
  }
}
