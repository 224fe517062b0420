import { malformedAnswer } from "./errors.ts";

const CR = 13;
const LF = 10;
const SEMICOLON = 59;
const SPACE = 32;
const TAB = 9;

/** Extensions and trailers have no meaning for us, so they may not be long. */
const mostExtraBytes = 16 * 1024;
/** Thirteen hexadecimal digits are as many as a double counts exactly. */
const mostDigits = 13;

type State = "size" | "extension" | "size-lf" | "data" | "data-cr" | "data-lf" | "trailer" | "trailer-lf" | "end";

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** Takes a chunked body (RFC 9112, 7.1) out of its frames, as it comes. */
export class ChunkDecoder {
  #state: State = "size";
  #digits = 0;
  #left = 0;
  #extraBytes = 0;
  #lineBytes = 0;

  get done(): boolean {
    return this.#state === "end";
  }

  /**
   * Gives out the body's bytes in pieces that share the memory of `bytes`.
   * @returns where the body ended, or the end of `bytes` when it goes on; also where `take` answered that it is enough
   * @throws {UpstreamFailure} `transient` for frames that are none
   */
  decode(bytes: Buffer, from: number, take: (piece: Buffer) => boolean): number {
    let at = from;
    while (at < bytes.length && this.#state !== "end") {
      if (this.#state !== "data") {
        this.#step(bytes[at++] as number);
        continue;
      }
      const end = Math.min(bytes.length, at + this.#left);
      const piece = bytes.subarray(at, end);
      this.#left -= end - at;
      at = end;
      if (this.#left === 0) this.#state = "data-cr";
      if (!take(piece)) return at;
    }
    return at;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case "size":
        this.#size(byte);
        break;
      case "extension":
        if (byte === CR) this.#state = "size-lf";
        else this.#extra(byte);
        break;
      case "size-lf":
        this.#expect(byte, LF);
        this.#state = this.#left === 0 ? "trailer" : "data";
        break;
      case "data-cr":
        this.#expect(byte, CR);
        this.#state = "data-lf";
        break;
      case "data-lf":
        this.#expect(byte, LF);
        this.#state = "size";
        this.#digits = 0;
        break;
      case "trailer":
        if (byte === CR) this.#state = "trailer-lf";
        else {
          this.#extra(byte);
          this.#lineBytes++;
        }
        break;
      default:
        this.#expect(byte, LF);
        this.#state = this.#lineBytes === 0 ? "end" : "trailer";
        this.#lineBytes = 0;
    }
  }

  #size(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#left = this.#left * 16 + digit;
      if (++this.#digits > mostDigits) throw malformedAnswer("a chunk's size");
      return;
    }
    if (this.#digits === 0) throw malformedAnswer("a chunk's size");
    if (byte === CR) this.#state = "size-lf";
    else if (byte === SEMICOLON || byte === SPACE || byte === TAB) this.#state = "extension";
    else throw malformedAnswer("a chunk's size");
  }

  #extra(byte: number): void {
    if (byte === LF || byte === 0) throw malformedAnswer("a line end alone");
    if (++this.#extraBytes > mostExtraBytes) throw malformedAnswer("too much beside the chunks");
  }

  #expect(byte: number, wanted: number): void {
    if (byte !== wanted) throw malformedAnswer("a chunk without its end");
  }
}
