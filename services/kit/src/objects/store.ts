import type { Readable } from "node:stream";
import type { HealthCheck } from "../health.ts";

/** Part of a file: both ends count. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An object of the store; its bytes are read on demand. */
export interface StoredObject {
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** Errors, as streams do, when the file cannot be read to its end. */
  read(range: ByteRange): Promise<Readable>;
}

/** Where files are kept. */
export interface ObjectStore extends AsyncDisposable {
  /** Takes a whole file; answers its size. What was taken of a body that fails is removed. */
  put(id: string, contentType: string, body: AsyncIterable<Buffer>): Promise<number>;
  /** Undefined when there is no such file, or no more. */
  find(id: string): Promise<StoredObject | undefined>;
  readonly check: HealthCheck;
}
