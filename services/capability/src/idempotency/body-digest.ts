import { createHash } from "node:crypto";
import { boundaryOf } from "../request/boundary.ts";

/**
 * No form that is served has as many parts: what comes behind so many boundaries is taken as it is.
 */
const maxCuts = 1_000;
const lineEnd = Buffer.from("\r\n");

/**
 * The digest of a request body that comes in pieces, however it is cut. Clients draw a new boundary
 * each time they send the same form: boundaries are left out where they stand at a line's start,
 * and only where they stood counts.
 */
export class BodyDigest {
  readonly #hash = createHash("sha256");
  readonly #delimiter: Buffer | undefined;
  readonly #cuts: number[] = [];
  #hashed = 0;
  /**
   * The last bytes, which may be the beginning of a delimiter. A form's first one has no line end
   * of its own.
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

  /** The digest in base64url. Nothing may be added afterwards. */
  finish(): string {
    if (this.#delimiter !== undefined) this.#add(this.#tail);
    return this.#hash.update(JSON.stringify(this.#cuts)).digest("base64url");
  }

  #add(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#hashed += bytes.length;
  }
}
