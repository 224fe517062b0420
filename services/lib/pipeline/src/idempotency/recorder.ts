import type { LinkExchange } from "@uag/link/server-exchange";
import type { ExchangeBill, OperationExchange } from "../operation/operation-exchange.ts";
import type { ReadBody } from "./read-body.ts";
import type { RecordedResponse } from "./record.ts";
import type { Run } from "./run.ts";

/** Larger responses are not stored. */
const maxBytes = 64 * 1024 * 1024;

/** What a {@link RecordingExchange} wraps, and who gets the response. */
export interface RecorderOptions {
  readonly exchange: LinkExchange;
  readonly body: ReadBody;
  /** Stores the outcome before the client gets the response's end. Its lease accounts for the response. */
  readonly run: Pick<Run, "start" | "billed" | "end" | "lease">;
}

/**
 * Wraps a handler's exchange: passes everything through and records it. Hides the client's
 * disconnect from the handler, so that the result exists when the client asks again. Holds back the
 * end until the result is stored.
 */
export class RecordingExchange implements OperationExchange {
  readonly #options: RecorderOptions;
  readonly #aborter = new AbortController();
  /** Undefined once the response is too large. */
  #chunks: Buffer[] | undefined = [];
  #status = 0;
  #headers: readonly string[] = [];
  #ended = false;
  #kept: Promise<void> | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { signal } = options.exchange;
    const onAbort = (): void => {
      // Only the router's deadline ends the work; a disconnected client may come back for the
      // result.
      if ((signal.reason as { code?: string } | undefined)?.code === "deadline") this.#aborter.abort(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  }

  get #real(): LinkExchange {
    return this.#options.exchange;
  }
  get operation(): string {
    return this.#real.operation;
  }
  get requestId(): string {
    return this.#real.requestId;
  }
  get target(): string {
    return this.#real.target;
  }
  get headers(): readonly string[] {
    return this.#real.headers;
  }
  get context(): Buffer {
    return this.#real.context;
  }
  get bodyless(): boolean {
    return false;
  }
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }
  get over(): boolean {
    return this.#ended || this.#aborter.signal.aborted;
  }

  onStarted(model: string): Promise<void> {
    return this.#options.run.start(model);
  }

  onBilled(bill: ExchangeBill): void {
    this.#options.run.billed(bill);
  }

  header(name: string): string | undefined {
    return this.#real.header(name);
  }

  body(): AsyncIterable<Buffer> {
    return this.#options.body.pieces();
  }

  readBody(): Promise<Buffer> {
    return this.#options.body.whole();
  }

  head(status: number, headers: readonly string[]): void {
    this.#status = status;
    this.#headers = headers;
    this.#real.head(status, headers);
  }

  write(chunk: Buffer): boolean {
    if (this.over) return false;
    this.#remember(chunk);
    // Applies no backpressure for a client that has disconnected.
    return this.#real.write(chunk) || this.#real.over;
  }

  async drained(): Promise<void> {
    try {
      await this.#real.drained();
    } catch (error) {
      if (!this.#real.over || this.over) throw error;
    }
  }

  end(): void {
    if (this.over) return;
    this.#end(this.#response, () => this.#real.end());
  }

  fail(errorCode: string): void {
    if (this.over) return;
    this.#end(undefined, () => this.#real.fail(errorCode));
  }

  respond(status: number, headers: readonly string[], body: Buffer): void {
    if (this.over) return;
    this.#status = status;
    this.#headers = headers;
    this.#remember(body);
    this.#end(this.#response, () => this.#real.respond(status, headers, body));
  }

  /**
   * Resolves when the handler's response is stored and sent; without a response nothing is stored.
   */
  async done(): Promise<void> {
    this.#kept ??= this.#options.run.end(undefined);
    await this.#kept;
  }

  #remember(chunk: Buffer): void {
    if (this.#chunks === undefined) return;
    const { lease } = this.#options.run;
    try {
      if (lease.held + chunk.length > maxBytes) throw new Error("the response is too large to store");
      lease.take(chunk.length);
      this.#chunks.push(chunk);
    } catch {
      this.#chunks = undefined;
      lease[Symbol.dispose]();
    }
  }

  #end(response: RecordedResponse | undefined, send: () => void): void {
    this.#ended = true;
    this.#kept = this.#options.run.end(response).then(send);
  }

  get #response(): RecordedResponse | undefined {
    if (this.#chunks === undefined || !isKept(this.#status)) return undefined;
    return { status: this.#status, headers: this.#headers, body: this.#chunks };
  }
}

/**
 * Errors that a retry may change are not stored: our own and upstream failures, limits, and an
 * insufficient balance.
 */
function isKept(status: number): boolean {
  return status < 500 && status !== 429 && status !== 402 && status !== 409;
}
