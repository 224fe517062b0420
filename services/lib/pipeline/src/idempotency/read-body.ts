import { maxBodyBytesOf } from "@uag/contract/body-limits";
import { isByPath } from "@uag/contract/routes";
import { LinkError } from "@uag/link/errors";
import type { LinkExchange } from "@uag/link/server-exchange";
import { nextTurn } from "@uag/runtime/next-turn";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import { BodyDigest } from "./body-digest.ts";

/** Bytes copied per turn of the event loop. */
const turnBytes = 4 * 1024 * 1024;

/** A request body read ahead of its handler to compute its digest. */
export class ReadBody {
  readonly digest: string;
  readonly #lease: BufferLease;
  #pieces: Buffer[];

  constructor(digest: string, pieces: Buffer[], lease: BufferLease) {
    this.digest = digest;
    this.#pieces = pieces;
    this.#lease = lease;
  }

  /** Whatever has not been taken through `pieces`, as one buffer. */
  async whole(): Promise<Buffer> {
    if (this.#pieces.length !== 1) this.#pieces = [await joined(this.#pieces)];
    return this.#pieces[0] as Buffer;
  }

  /** The body piece by piece; the handler accounts for what it has taken. */
  async *pieces(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece === undefined) return;
      this.#lease.give(piece.length);
      yield piece;
    }
  }
}

/** Concatenates the pieces, yielding to the event loop in between. */
async function joined(pieces: readonly Buffer[]): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  let turnEnds = turnBytes;
  for (const piece of pieces) {
    at += piece.copy(whole, at);
    if (at < turnEnds) continue;
    turnEnds = at + turnBytes;
    await nextTurn();
  }
  return whole;
}

/**
 * Reads a request's body and computes its digest, with its path where that names the model. Every
 * piece is accounted for before it is kept.
 * @throws {GatewayError} `service_unavailable` when memory is exhausted
 * @throws {LinkError} `too_large`, or what ended the exchange
 */
export async function readAhead(exchange: LinkExchange, lease: BufferLease): Promise<ReadBody> {
  const digest = new BodyDigest(exchange.header("content-type"));
  if (isByPath(exchange.operation)) digest.update(Buffer.from(`${exchange.target}\n`));
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
