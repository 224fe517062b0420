import type { LinkError } from "./errors.ts";

/** The head of a request that a link carries. */
export interface LinkRequest {
  operation: string;
  requestId: string;
  /** Path and query. */
  target: string;
  /** Name and value by turns, names in lower case. */
  headers: readonly string[];
  /** Opaque to the link. */
  context: Buffer;
  /**
   * Exchanges with the same one go to the same replica while that has about its fair share. Empty
   * or left out: to the least busy.
   */
  affinity?: string;
  /** Milliseconds until the exchange is cut at both ends; none when left out. */
  deadlineMs?: number;
  signal?: AbortSignal;
  /** There is no request body: neither `writeBody` nor `endBody` is called. */
  bodyless?: boolean;
}

/**
 * Takes the answer. `onHead` comes first, at most once; exactly one of `onEnd` and `onError` comes
 * last, also after `cancel` (then before `cancel` returns). Every byte given to `onChunk` must be
 * told to `consumed` for the answer to flow on.
 */
export interface LinkResponse {
  onHead(status: number, headers: readonly string[]): void;
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  onError(error: LinkError): void;
}

/** The calling end of one exchange. */
export interface LinkCall {
  /**
   * False when the writer should wait for `bodyDrained`. The chunk must not be changed afterwards.
   * Ignored once over.
   */
  writeBody(chunk: Buffer): boolean;
  /** Resolves when more body may be written, and when no more is wanted. */
  bodyDrained(): Promise<void>;
  endBody(): void;
  /** Bytes of the answer that were passed on: as many more may come. */
  consumed(bytes: number): void;
  /** Gives the exchange up; the handler's signal aborts. Nothing happens once it is over. */
  cancel(reason: string): void;
  readonly over: boolean;
}
