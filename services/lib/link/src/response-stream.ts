import type { LinkCall, LinkRequest, LinkResponse } from "./call.ts";
import type { LinkError } from "./errors.ts";

interface Opener {
  open(request: LinkRequest, response: LinkResponse): LinkCall;
}

/** A response's status and headers, alternating name and value. */
export interface ResponseHead {
  status: number;
  headers: readonly string[];
}

/**
 * The response as promises and an async iterable, for callers off the hot path. Iterating grants
 * credit; leaving the loop early cancels the exchange.
 */
export class ResponseStream implements LinkResponse, AsyncIterable<Buffer> {
  /** Rejects with a LinkError when the exchange ends without a head. */
  readonly head: Promise<ResponseHead>;
  readonly call: LinkCall;
  readonly #settle: { resolve: (head: ResponseHead) => void; reject: (error: LinkError) => void };
  readonly #queue: Buffer[] = [];
  #ended = false;
  #error: LinkError | undefined;
  #wake: (() => void) | undefined;

  private constructor(client: Opener, request: LinkRequest) {
    const { promise, resolve, reject } = Promise.withResolvers<ResponseHead>();
    this.head = promise;
    // A caller that only iterates gets the error there.
    promise.catch(() => {});
    this.#settle = { resolve, reject };
    this.call = client.open(request, this);
  }

  /** Opens an exchange; sends `body` whole if it is given, otherwise write it through `call`. */
  static open(client: Opener, request: LinkRequest, body?: Buffer): ResponseStream {
    const stream = new ResponseStream(client, request);
    if (body === undefined) return stream;
    stream.call.writeBody(body);
    stream.call.endBody();
    return stream;
  }

  onHead(status: number, headers: readonly string[]): void {
    this.#settle.resolve({ status, headers });
  }

  onChunk(chunk: Buffer): void {
    this.#queue.push(chunk);
    this.#wake?.();
  }

  onEnd(): void {
    this.#ended = true;
    this.#wake?.();
  }

  onError(error: LinkError): void {
    this.#error = error;
    this.#settle.reject(error);
    this.#wake?.();
  }

  /** The whole body. */
  async bytes(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this) chunks.push(chunk);
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (;;) {
        const chunk = this.#queue.shift();
        if (chunk !== undefined) {
          this.call.consumed(chunk.length);
          yield chunk;
        } else if (this.#error !== undefined) throw this.#error;
        else if (this.#ended) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.call.cancel("the response is no longer read");
    }
  }
}
