import { endUserHeader } from "@uag/contract/end-users";
import { joined } from "@uag/untrusted/joined";
import { encodeJson } from "@uag/untrusted/json/encode";
import { parseJsonInTurns } from "@uag/untrusted/json/parse";
import { Agent, type BodyInit, type Dispatcher, fetch, type Response } from "undici";
import { ApiError } from "./api-error.ts";

export interface PublicApiOptions {
  readonly baseUrl: string;
  /** Timeout of one call, milliseconds. */
  readonly timeoutMs: number;
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path and query. */
  readonly path: string;
  readonly json?: object;
  /** Instead of `json`. */
  readonly form?: BodyInit;
  /** With it the request runs once, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  /** The client's end user, if it names one. */
  readonly endUser?: string | undefined;
  readonly signal?: AbortSignal;
}

const maxErrorBytes = 64 * 1024;
const maxConnections = 1_024;
const betweenChunksMs = 300_000;

/**
 * The public API, called as clients call it: with the caller's own key, so that its access, limits
 * and bills are the caller's.
 */
export class PublicApi implements AsyncDisposable {
  readonly #baseUrl: string;
  readonly #timeoutMs: number;
  readonly #dispatcher: Dispatcher;

  constructor({ baseUrl, timeoutMs }: PublicApiOptions) {
    this.#baseUrl = baseUrl.replace(/\/$/, "");
    this.#timeoutMs = timeoutMs;
    this.#dispatcher = new Agent({
      connections: maxConnections,
      headersTimeout: timeoutMs,
      bodyTimeout: betweenChunksMs,
    });
  }

  /**
   * @throws {ApiError} for an unsuccessful response
   * @throws {TypeError} when there is no response
   */
  async call(key: string, request: ApiRequest): Promise<Response> {
    const response = await this.#sendAgain(key, request);
    if (response.ok) return response;
    throw new ApiError(response.status, response.headers, await textWithin(response, maxErrorBytes));
  }

  /**
   * A connection may break when a router stops. A request that has an idempotency key, or changes
   * nothing, is sent once more.
   */
  async #sendAgain(key: string, request: ApiRequest): Promise<Response> {
    try {
      return await this.#send(key, request);
    } catch (error) {
      const repeatable = request.idempotencyKey !== undefined || request.method === "GET";
      if (!repeatable || request.signal?.aborted) throw error;
      return this.#send(key, request);
    }
  }

  async #send(
    key: string,
    { method, path, json, form, idempotencyKey, endUser, signal }: ApiRequest,
  ): Promise<Response> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    return await fetch(this.#baseUrl + path, {
      method,
      dispatcher: this.#dispatcher,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      redirect: "error",
      headers: {
        authorization: `Bearer ${key}`,
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        ...(endUser !== undefined && { [endUserHeader]: endUser }),
      },
      ...(json !== undefined && { body: await encodeJson(json) }),
      ...(form !== undefined && { body: form }),
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#dispatcher.destroy();
  }
}

/** The body's text, truncated where it is longer; the rest is not read. */
async function textWithin(response: Response, limit: number): Promise<string> {
  const bytes = await bytesWithin(response, limit).catch(() => undefined);
  return bytes?.toString("utf8") ?? "";
}

/** Accounts for bytes before they are read on; undefined when there is room at once. */
export type TakeBytes = (bytes: number) => Promise<void> | undefined;

/**
 * A body's bytes. It is not read on while there is no memory for it.
 * @throws {RangeError} when it is longer than `limit` bytes
 */
export async function bytesWithin({ body }: Response, limit: number, take?: TakeBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > limit) throw new RangeError(`the response is longer than ${limit} bytes`);
    await take?.(chunk.length);
    chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }
  return await joined(chunks);
}

/**
 * A body's JSON, parsed in turns of the event loop.
 * @throws {RangeError} when it is longer than `limit` bytes
 * @throws {Error} when it is not JSON, or has more values than any response of the gateway
 */
export async function jsonWithin(response: Response, limit: number, take?: TakeBytes): Promise<unknown> {
  const bytes = await bytesWithin(response, limit, take);
  return await parseJsonInTurns(bytes).catch((cause: unknown) => {
    throw new Error("invalid response from the gateway", { cause });
  });
}
