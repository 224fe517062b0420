import type { BufferLease } from "@uag/kit/buffer-budget.ts";
import type { Events } from "./events.ts";
import type { File } from "./gateway/files.ts";
import type { Model } from "./gateway/models.ts";
import type { ApiRequest, PublicApi } from "./gateway/public-api.ts";

/**
 * One HTTP request to /mcp: its caller, and what may be done on their behalf. It does not outlive
 * the response.
 */
export interface Exchange {
  /** The gateway's id of the request. */
  readonly requestId: string;
  /** The client's own idempotency key. */
  readonly idempotencyKey: string | undefined;
  /** Models that the key may use. */
  readonly models: readonly Model[];
  /** Fires when the client has disconnected or cancelled its request. */
  readonly signal: AbortSignal;
  readonly events: Events;
  /** The memory budget of its bodies. */
  readonly lease: BufferLease;
  /** Calls the public API with the caller's key. */
  call(request: ApiRequest): ReturnType<PublicApi["call"]>;
  /**
   * Fetches a URL's content, of at most `limit` bytes, within its memory budget.
   * @throws what {@link Files.fetch} throws
   */
  fetchFile(url: string, limit: number): Promise<File>;
}
