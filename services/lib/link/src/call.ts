import type { LinkError } from "./errors.ts";

/** The head of a request that a link carries. */
export interface LinkRequest {
  operation: string;
  requestId: string;
  /** Path and query. */
  target: string;
  /** Alternating name and value, names in lower case. */
  headers: readonly string[];
  /** Opaque to the link. */
  context: Buffer;
  /**
   * Exchanges with the same affinity go to the same replica while that has about its fair share.
   * Empty or omitted: to the least busy.
   */
  affinity?: string;
  /** Milliseconds until both ends abort the exchange; none when omitted. */
  deadlineMs?: number;
  signal?: AbortSignal;
  /** There is no request body: neither `writeBody` nor `endBody` is called. */
  bodyless?: boolean;
}

/**
 * Receives the response. `onHead` comes first, at most once; exactly one of `onEnd` and `onError`
 * comes last, also after `cancel` (then before `cancel` returns). Report every byte passed to
 * `onChunk` through `consumed`, or the response stalls.
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
   * False when the writer should wait for `bodyDrained`. Do not modify the chunk afterwards.
   * Ignored once the exchange is over.
   */
  writeBody(chunk: Buffer): boolean;
  /** Resolves when more body may be written, or when no more is wanted. */
  bodyDrained(): Promise<void>;
  endBody(): void;
  /** Reports response bytes as passed on, which grants the peer as many more. */
  consumed(bytes: number): void;
  /** Abandons the exchange; the handler's signal aborts. No effect once the exchange is over. */
  cancel(reason: string): void;
  readonly over: boolean;
}
