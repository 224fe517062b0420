import type { BufferLease } from "@uag/kit/buffer-budget.ts";
import type { Events } from "./events.ts";
import type { File } from "./gateway/files.ts";
import type { Model } from "./gateway/models.ts";
import type { ApiRequest, PublicApi } from "./gateway/public-api.ts";

/**
 * One HTTP request to /mcp: who calls, and what may be done for them. Nothing of it outlives the
 * answer.
 */
export interface Exchange {
  /** The gateway's id of the request. */
  readonly requestId: string;
  /** The client's own idempotency key. */
  readonly idempotencyKey: string | undefined;
  /** Models that the key may use. */
  readonly models: readonly Model[];
  /** Fires when the client has gone, or has taken its request back. */
  readonly signal: AbortSignal;
  readonly events: Events;
  /** Memory for what is read for it. */
  readonly lease: BufferLease;
  /** Calls the public API with the caller's key. */
  call(request: ApiRequest): ReturnType<PublicApi["call"]>;
  /**
   * Fetches what a URL points at, of `limit` bytes at most, counted in its memory. @throws what
   * {@link Files.fetch} throws
   */
  fetchFile(url: string, limit: number): Promise<File>;
}
