import { maxBodyBytesOf } from "@uag/contract/routes.ts";
import type { BufferLease } from "@uag/kit/buffer-budget.ts";
import { LinkError } from "@uag/link/errors.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import { BodyDigest } from "./body-digest.ts";

/** A request body that was read ahead of its handler, for its digest. */
export class ReadBody {
  readonly digest: string;
  readonly #lease: BufferLease;
  #pieces: Buffer[];

  constructor(digest: string, pieces: Buffer[], lease: BufferLease) {
    this.digest = digest;
    this.#pieces = pieces;
    this.#lease = lease;
  }

  /** All of it that has not been taken piece by piece. */
  whole(): Buffer {
    if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] as Buffer;
  }

  /** Piece by piece; what the handler has taken is its own to count. */
  async *pieces(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece === undefined) return;
      this.#lease.give(piece.length);
      yield piece;
    }
  }
}

/**
 * Reads a request's body and digests it on the way. Every piece is counted before it is kept.
 * @throws {GatewayError} `service_unavailable` when too much is held already
 * @throws {LinkError} `too_large`, or what ended the exchange
 */
export async function readAhead(exchange: LinkExchange, lease: BufferLease): Promise<ReadBody> {
  const digest = new BodyDigest(exchange.header("content-type"));
  const maxBytes = maxBodyBytesOf(exchange.operation);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of exchange.body()) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new LinkError("too_large", `body exceeds ${maxBytes} bytes`);
    lease.take(piece.length);
    digest.update(piece);
    pieces.push(piece);
  }
  return new ReadBody(digest.finish(), pieces, lease);
}
