import type { Address } from "./connection.ts";
import { nonceDigits, nonceText, requestBody, type StreamShape } from "./responses.ts";

/** A gateway (or the bare upstream) as the target of load. */
export interface Endpoint extends Address {
  /** Path before `/chat/completions` and the like, e.g. `/v1`. */
  readonly basePath: string;
  readonly key: string;
  readonly model: string;
}

/**
 * A request that is serialized once and sent many times: only its nonce changes, in place. Only one
 * request may be in flight at a time.
 */
export class RequestTemplate {
  readonly #bytes: Buffer;
  readonly #nonceAt: number;
  readonly #keyAt: number;

  /** @param request the path behind `basePath`, and the body for a nonce */
  constructor(endpoint: Endpoint, request: { readonly path: string; body(nonce: string): string }) {
    const nonce = nonceText(0);
    const body = request.body(nonce);
    const head = [
      `POST ${endpoint.basePath}${request.path} HTTP/1.1`,
      `host: ${endpoint.host}:${endpoint.port}`,
      `authorization: Bearer ${endpoint.key}`,
      "content-type: application/json",
      "accept: application/json",
      "user-agent: OpenAI/JS 5.0.0",
      `content-length: ${body.length}`,
    ].join("\r\n");
    this.#bytes = Buffer.from(`${head}\r\n\r\n${body}`, "latin1");
    this.#keyAt = this.#bytes.indexOf(endpoint.key);
    this.#nonceAt = this.#bytes.indexOf(`nonce=${nonce}`) + "nonce=".length;
  }

  /**
   * The request with this nonce, and with the given key, of the same length, instead of the
   * endpoint's; valid until the next call.
   */
  with(nonce: string, key?: string): Buffer {
    if (key !== undefined) this.#bytes.write(key, this.#keyAt, "latin1");
    this.#bytes.write(nonce, this.#nonceAt, nonceDigits, "latin1");
    return this.#bytes;
  }
}

export function chatTemplate(
  endpoint: Endpoint,
  stream?: StreamShape & { readonly includeUsage: boolean },
): RequestTemplate {
  const { model } = endpoint;
  const body = (nonce: string) => requestBody({ model, nonce, ...(stream === undefined ? {} : { stream }) });
  return new RequestTemplate(endpoint, { path: "/chat/completions", body });
}

let lastNonce = 0;

/** A nonce that no other request of this process has. */
export function nextNonce(): string {
  lastNonce += 1;
  return nonceText(lastNonce);
}
