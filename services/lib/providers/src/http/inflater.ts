import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { unusableResponse } from "../failure.ts";

export interface InflaterTarget {
  /** Must not throw. */
  data(chunk: Buffer): void;
  end(): void;
  error(error: Error): void;
  /** Enough is buffered: nothing more should be written until `drained`. */
  full(): void;
  drained(): void;
}

/**
 * Decompresses a response as it arrives, at the reader's pace: only a few tens of KiB are
 * decompressed ahead, however large a few compressed bytes expand.
 */
export class Inflater {
  readonly #stream: Transform;
  readonly #target: InflaterTarget;

  /** @throws {UpstreamFailure} for an unknown encoding, or several stacked ones */
  constructor(encoding: string, target: InflaterTarget) {
    this.#target = target;
    this.#stream = decompressor(encoding)
      .on("data", (chunk: Buffer) => target.data(chunk))
      .on("end", () => target.end())
      .on("error", (error) => target.error(error))
      .on("drain", () => target.drained());
  }

  write(chunk: Buffer): void {
    if (!this.#stream.write(chunk)) this.#target.full();
  }

  end(): void {
    this.#stream.end();
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  destroy(): void {
    this.#stream.destroy();
  }
}

/** Upstreams are asked for uncompressed bytes; these serve one that compresses anyway. */
const gentle = { flush: constants.Z_SYNC_FLUSH };
/** 8 MiB, the maximum that RFC 9659 allows a server. */
const zstdWindow = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

function decompressor(encoding: string): Transform {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip(gentle);
  if (encoding === "deflate") return createInflate(gentle);
  if (encoding === "br") return createBrotliDecompress();
  if (encoding === "zstd") return createZstdDecompress(zstdWindow);
  throw unusableResponse(`the upstream responded with the unsupported content encoding ${encoding.slice(0, 40)}`);
}
