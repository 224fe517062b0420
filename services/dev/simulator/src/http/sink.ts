import type { ServerResponse } from "node:http";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import type { Random } from "../content/hash.ts";

/** The client closed the connection, or it was closed on shutdown. */
export class ClientGone extends Error {}

/** A fault ends the response early: properly, by a reset, or by closing the connection. */
export class CutByFault extends Error {
  readonly how: "end" | "reset" | "close";
  constructor(how: "end" | "reset" | "close") {
    super(`cut: ${how}`);
    this.how = how;
  }
}

/**
 * Receives the bytes of a body. `write` resolves once the operating system has the bytes: one write
 * at a time.
 */
export interface Sink {
  write(bytes: Buffer): Promise<void>;
  end(): Promise<void>;
}

export type SocketSink = Sink & {
  readonly bytes: number;
  readonly blockedMs: number;
  /** Throws ClientGone when the client has disconnected. */
  assertOpen(): void;
  /**
   * Resolves after the time, or rejects with ClientGone when the client disconnects first; Infinity
   * waits for that.
   */
  pause(ms: number): Promise<void>;
};

/**
 * The innermost sink: the response itself. Every wait ends with ClientGone when the client
 * disconnects.
 */
export function socketSink(response: ServerResponse): SocketSink {
  let abandon: ((error: ClientGone) => void) | undefined;
  let gone = response.destroyed;
  let bytes = 0;
  let blockedMs = 0;
  const leave = () => {
    gone = true;
    abandon?.(new ClientGone("the client disconnected"));
  };
  response.once("close", leave);
  response.on("error", leave);

  function wait(start: (done: (error?: Error | null) => void) => (() => void) | undefined): Promise<void> {
    if (gone) return Promise.reject(new ClientGone("the client disconnected"));
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
      if (gone) throw new ClientGone("the client disconnected");
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

/** Passes on `limit` bytes and then cuts the connection. */
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

/** Writes in separate pieces of `size` bytes; 0 means random sizes from 1 to 32. */
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

/** Compresses and flushes every write, so that a stream stays a stream. */
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
