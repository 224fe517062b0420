import { createHash } from "node:crypto";
import { boundaryOf } from "../request/boundary.ts";

/** No valid form has this many parts: after this many boundaries the rest is hashed as is. */
const maxCuts = 1_000;
const lineEnd = Buffer.from("\r\n");

/**
 * The digest of a request body that arrives in chunks, regardless of how it is split. Clients
 * generate a new boundary each time they send the same form, so boundaries at the start of a line
 * are left out of the hash, and only their positions count.
 */
export class BodyDigest {
  readonly #hash = createHash("sha256");
  readonly #delimiter: Buffer | undefined;
  readonly #cuts: number[] = [];
  #hashed = 0;
  /**
   * The last bytes, which may begin a delimiter. Starts with a line end because a form's first
   * delimiter has none of its own.
   */
  #tail = lineEnd;

  constructor(contentType: string | undefined) {
    const boundary = boundaryOf(contentType);
    if (boundary !== undefined) this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  update(chunk: Buffer): void {
    const delimiter = this.#delimiter;
    if (delimiter === undefined) {
      this.#add(chunk);
      return;
    }
    const bytes = Buffer.concat([this.#tail, chunk]);
    let from = 0;
    while (this.#cuts.length < maxCuts) {
      const at = bytes.indexOf(delimiter, from);
      if (at < 0) break;
      this.#add(bytes.subarray(from, at));
      this.#cuts.push(this.#hashed);
      from = at + delimiter.length;
    }
    const end = Math.max(from, bytes.length - delimiter.length + 1);
    this.#add(bytes.subarray(from, end));
    this.#tail = Buffer.from(bytes.subarray(end));
  }

  /** The digest in base64url. Call once, after the last `update`. */
  finish(): string {
    if (this.#delimiter !== undefined) this.#add(this.#tail);
    return this.#hash.update(JSON.stringify(this.#cuts)).digest("base64url");
  }

  #add(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#hashed += bytes.length;
  }
}
