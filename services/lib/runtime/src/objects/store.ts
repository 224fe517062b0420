import type { Readable } from "node:stream";
import type { HealthCheck } from "../health.ts";

/** A part of a file, both ends inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An object of the store; its bytes are read on demand. */
export interface StoredObject {
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** The stream fails when the file cannot be read to its end. */
  read(range: ByteRange): Promise<Readable>;
}

/** A store of files. */
export interface ObjectStore extends AsyncDisposable {
  /**
   * Stores a complete file and returns its size. If the body fails, what was stored of it is
   * removed.
   */
  put(id: string, contentType: string, body: AsyncIterable<Buffer>): Promise<number>;
  /** Undefined when the file does not exist (any more). */
  find(id: string): Promise<StoredObject | undefined>;
  /** Removes a file, or what was stored of one. Removing it again has no effect. */
  remove(id: string): Promise<void>;
  readonly check: HealthCheck;
}
