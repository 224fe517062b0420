import { endUserHeader } from "@uag/contract/end-users";
import { LinkError } from "@uag/link/errors";
import type { ReadBodyOptions } from "@uag/link/server-exchange";
import type { ExchangeBill, OperationExchange } from "@uag/pipeline/operation/operation-exchange";
import { headerOf } from "@uag/runtime/http/header-of";
import type { EventWriter } from "./event-writer.ts";

/** The request of a {@link LocalExchange}. */
export interface LocalRequest {
  readonly operation: string;
  readonly requestId: string;
  readonly target: string;
  /** The caller, encoded. */
  readonly context: Buffer;
  /** JSON. */
  readonly body: Buffer;
  /** The end user that its header names; empty: none. */
  readonly endUser: string;
  /** Takes the body of a response of 200; default: it is collected. */
  readonly events?: Pick<EventWriter, "write" | "drained"> | undefined;
  /** Aborts when the response is not wanted any more. */
  readonly signal: AbortSignal;
  /** See {@link OperationExchange.onStarted}. */
  readonly onStarted: (model: string) => Promise<void>;
}

/** A response; the body is empty if it was streamed. */
export interface LocalResponse {
  readonly status: number;
  /** Alternating name and value. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** A request that this process makes of one of its own operations, and the response. */
export class LocalExchange implements OperationExchange {
  readonly operation: string;
  readonly requestId: string;
  readonly target: string;
  readonly context: Buffer;
  readonly headers: readonly string[];
  readonly bodyless = false;
  readonly signal: AbortSignal;
  readonly onStarted: (model: string) => Promise<void>;
  readonly #body: Buffer;
  readonly #events: LocalRequest["events"];
  #head: Omit<LocalResponse, "body"> | undefined;
  readonly #chunks: Buffer[] = [];
  #ended = false;
  #failed = false;
  #bill: ExchangeBill | undefined;

  constructor({ operation, requestId, target, context, body, endUser, events, signal, onStarted }: LocalRequest) {
    this.operation = operation;
    this.requestId = requestId;
    this.target = target;
    this.context = context;
    this.#body = body;
    this.#events = events;
    this.signal = signal;
    this.onStarted = onStarted;
    const endUserHeaders = endUser === "" ? [] : [endUserHeader, endUser];
    this.headers = ["content-type", "application/json", "content-length", String(body.length), ...endUserHeaders];
  }

  get over(): boolean {
    return this.#ended || this.signal.aborted;
  }

  /** The response; undefined when there is none, or not all of it. */
  get response(): LocalResponse | undefined {
    if (this.#head === undefined || !this.#ended || this.#failed) return undefined;
    return { ...this.#head, body: Buffer.concat(this.#chunks) };
  }

  /** What the request was billed; undefined when it has no bill. */
  get bill(): ExchangeBill | undefined {
    return this.#bill;
  }

  onBilled(bill: ExchangeBill): void {
    this.#bill = bill;
  }

  header(name: string): string | undefined {
    return headerOf(this.headers, name);
  }

  async *body(): AsyncGenerator<Buffer, void, undefined> {
    yield this.#body;
  }

  async readBody({ maxBytes, take }: ReadBodyOptions): Promise<Buffer> {
    if (this.#body.length > maxBytes) throw new LinkError("too_large", `body exceeds ${maxBytes} bytes`);
    take?.(this.#body.length);
    return this.#body;
  }

  head(status: number, headers: readonly string[]): void {
    if (!this.over) this.#head = { status, headers };
  }

  write(chunk: Buffer): boolean {
    if (this.over) return true;
    if (this.#events !== undefined && this.#head?.status === 200) return this.#events.write(chunk);
    this.#chunks.push(chunk);
    return true;
  }

  async drained(): Promise<void> {
    this.signal.throwIfAborted();
    await this.#events?.drained(this.signal);
  }

  end(): void {
    if (!this.over) this.#ended = true;
  }

  fail(): void {
    if (this.over) return;
    this.#ended = true;
    this.#failed = true;
  }

  respond(status: number, headers: readonly string[], body: Buffer): void {
    this.head(status, headers);
    this.write(body);
    this.end();
  }
}
