import type { ServerResponse } from "node:http";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import type { Random } from "../content/hash.ts";

/** The client closed the connection, or was closed on shutdown. */
export class ClientGone extends Error {}

/** A fault ends the answer early: properly, by a reset, or by a bare close of the connection. */
export class CutByFault extends Error {
  readonly how: "end" | "reset" | "close";
  constructor(how: "end" | "reset" | "close") {
    super(`cut: ${how}`);
    this.how = how;
  }
}

/**
 * Takes the bytes of a body. `write` resolves when the bytes are with the operating system: one
 * write at a time.
 */
export interface Sink {
  write(bytes: Buffer): Promise<void>;
  end(): Promise<void>;
}

export type SocketSink = Sink & {
  readonly bytes: number;
  readonly blockedMs: number;
  /** Throws ClientGone when the client has left. */
  assertOpen(): void;
  /**
   * Resolves after the time, rejects with ClientGone when the client leaves first; Infinity waits
   * for that.
   */
  pause(ms: number): Promise<void>;
};

/**
 * The sink at the bottom: the response itself. Every wait in it ends with ClientGone when the
 * client leaves.
 */
export function socketSink(response: ServerResponse): SocketSink {
  let abandon: ((error: ClientGone) => void) | undefined;
  let gone = response.destroyed;
  let bytes = 0;
  let blockedMs = 0;
  const leave = () => {
    gone = true;
    abandon?.(new ClientGone("the client left"));
  };
  response.once("close", leave);
  response.on("error", leave);

  function wait(start: (done: (error?: Error | null) => void) => (() => void) | undefined): Promise<void> {
    if (gone) return Promise.reject(new ClientGone("the client left"));
    return new Promise((resolve, reject) => {
      const cleanUp = start((error) => (error ? reject(new ClientGone(error.message)) : resolve()));
      abandon = (error) => {
        cleanUp?.();
        reject(error);
      };
    });
  }

  return {
    get bytes() {
      return bytes;
    },
    get blockedMs() {
      return Math.round(blockedMs);
    },
    assertOpen() {
      if (gone) throw new ClientGone("the client left");
    },
    async write(part) {
      if (part.length === 0) return;
      const before = performance.now();
      await wait((done) => void response.write(part, done));
      blockedMs += performance.now() - before;
      bytes += part.length;
    },
    end: () => wait((done) => void response.end(done)),
    pause(ms) {
      return wait((done) => {
        const timer = Number.isFinite(ms) ? setTimeout(done, ms) : undefined;
        return () => clearTimeout(timer);
      });
    },
  };
}

/** Passes `limit` bytes on and then cuts. */
export function limitedSink(inner: Sink, limit: number, how: "reset" | "close"): Sink {
  let left = limit;
  return {
    async write(bytes) {
      await inner.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) throw new CutByFault(how);
    },
    end: () => inner.end(),
  };
}

/** Writes in pieces of `size` bytes, each on its own; 0 is sizes from 1 to 32 by chance. */
export function splitSink(inner: Sink, size: number, random: Random): Sink {
  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const end = at + (size > 0 ? Math.ceil(size) : 1 + Math.floor(random() * 32));
        await inner.write(bytes.subarray(at, end));
        at = end;
      }
    },
    end: () => inner.end(),
  };
}

/** Compresses; every write is flushed, so that a stream stays a stream. */
export function compressedSink(inner: Sink, encoding: "gzip" | "br"): Sink {
  const stream = encoding === "gzip" ? createGzip() : createBrotliCompress();
  const flushKind = encoding === "gzip" ? constants.Z_SYNC_FLUSH : constants.BROTLI_OPERATION_FLUSH;
  let ready: Buffer[] = [];
  stream.on("data", (part: Buffer) => ready.push(part));
  function take(): Buffer {
    const taken = Buffer.concat(ready);
    ready = [];
    return taken;
  }
  return {
    async write(bytes) {
      stream.write(bytes);
      await new Promise<void>((resolve) => stream.flush(flushKind, resolve));
      await inner.write(take());
    },
    async end() {
      await new Promise<void>((resolve) => {
        stream.once("end", resolve);
        stream.end();
      });
      await inner.write(take());
      await inner.end();
    },
  };
}
