import type { Transform } from "node:stream";
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzipSync,
  inflateSync,
} from "node:zlib";
import { UpstreamFailure } from "../failure.ts";

/** Upstreams are asked for plain bytes; these are for one that compresses all the same. */
const gentle = { flush: constants.Z_SYNC_FLUSH };

export function createDecompressor(encoding: string): Transform {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip(gentle);
  if (encoding === "deflate") return createInflate(gentle);
  if (encoding === "br") return createBrotliDecompress();
  throw new UpstreamFailure("transient", `the upstream answered in the encoding ${encoding.slice(0, 40)}`);
}

/** @throws {UpstreamFailure} for an unknown encoding, broken data, or more than `maxBytes` */
export function decompressWhole(bytes: Buffer, encoding: string, maxBytes: number): Buffer {
  const options = { maxOutputLength: maxBytes };
  try {
    if (encoding === "gzip" || encoding === "x-gzip") return gunzipSync(bytes, options);
    if (encoding === "deflate") return inflateSync(bytes, options);
    if (encoding === "br") return brotliDecompressSync(bytes, options);
  } catch (error) {
    throw new UpstreamFailure("transient", "the upstream's compressed answer cannot be read", { cause: error });
  }
  throw new UpstreamFailure("transient", `the upstream answered in the encoding ${encoding.slice(0, 40)}`);
}
