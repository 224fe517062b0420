import type { Events } from "./events.ts";
import type { File } from "./gateway/files.ts";
import type { Model } from "./gateway/models.ts";
import type { ApiRequest, PublicApi } from "./gateway/public-api.ts";
import type { Splices } from "./http/splices.ts";

/** A response of the public API. */
export type ApiResponse = Awaited<ReturnType<PublicApi["call"]>>;

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
  /** Stand-ins for large values of the response. */
  readonly splices: Splices;
  /** Calls the public API with the caller's key. */
  call(request: ApiRequest): Promise<ApiResponse>;
  /**
   * Accounts for bytes of a response that are kept: undefined when its caller's memory budget has
   * room, else a promise to wait for.
   */
  hold(bytes: number): Promise<void> | undefined;
  /**
   * Reads a response of the public API, within the memory budget of its caller.
   * @throws {RangeError} when it is longer than `limit` bytes
   */
  readBytes(response: ApiResponse, limit: number): Promise<Buffer>;
  /** The same for JSON. @throws {RangeError} likewise; {Error} when it is not JSON */
  readJson(response: ApiResponse, limit: number): Promise<unknown>;
  /** Whether a URL is that of a file of the gateway. */
  isOwnFile(url: string): boolean;
  /**
   * Fetches a URL's content, of at most `limit` bytes, within its memory budget.
   * @throws what {@link Files.fetch} throws
   */
  fetchFile(url: string, limit: number): Promise<File>;
}
