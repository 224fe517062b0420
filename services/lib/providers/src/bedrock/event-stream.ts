import { crc32 } from "node:zlib";
import { unusableResponse } from "../failure.ts";
import { maxParsedBytes } from "../response-limits.ts";

/** Total length, headers' length, and their checksum. */
const preludeBytes = 12;
const checksumBytes = 4;
const maxHeaderBytes = 128 * 1024;

/** A message of AWS's event stream: an event, or an exception in place of the next one. */
export interface EventMessage {
  /** Those that are strings; the others do not concern a response. */
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Buffer;
}

/**
 * Decodes AWS's binary framing of events, `application/vnd.amazon.eventstream`, as its bytes arrive
 * (https://smithy.io/2.0/aws/amazon-eventstream.html). Checksums are verified before a message is read.
 */
export class EventStreamDecoder {
  #parts: Buffer[] = [];
  #size = 0;
  /** Bytes until which nothing more can be decoded. */
  #needed = preludeBytes;

  /**
   * Takes bytes and passes each complete message on.
   * @throws {UpstreamFailure} for a damaged or too long message, after the ones before it were passed on
   */
  push(chunk: Buffer, take: (message: EventMessage) => void): void {
    this.#parts.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return;
    let rest = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    this.#needed = lengthOf(rest);
    while (rest.length >= this.#needed) {
      take(messageIn(rest.subarray(0, this.#needed)));
      rest = rest.subarray(this.#needed);
      this.#needed = lengthOf(rest);
    }
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
  }
}

/** The length of the message that begins here, or of its beginning if that is not complete. */
function lengthOf(bytes: Buffer): number {
  if (bytes.length < preludeBytes) return preludeBytes;
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw damaged();
  const [total, headers] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
  if (total > maxParsedBytes || headers > maxHeaderBytes)
    throw unusableResponse(`an event exceeds ${maxParsedBytes} bytes`);
  if (total < preludeBytes + headers + checksumBytes) throw damaged();
  return total;
}

function messageIn(bytes: Buffer): EventMessage {
  const end = bytes.length - checksumBytes;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) throw damaged();
  const body = preludeBytes + bytes.readUInt32BE(4);
  return { headers: headersIn(bytes.subarray(preludeBytes, body)), payload: bytes.subarray(body, end) };
}

const stringType = 7;
/** Bytes of a value by its type: booleans, integers of 8 to 64 bits, a timestamp, and a UUID. */
const fixedBytes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
/** Bytes, and strings, after their length. */
const variable: ReadonlySet<number> = new Set([6, stringType]);

function headersIn(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const taken = (length: number): Buffer => {
    if (at + length > bytes.length) throw damaged();
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const name = taken(taken(1).readUInt8()).toString("utf8");
    const type = taken(1).readUInt8();
    const length = variable.has(type) ? taken(2).readUInt16BE() : fixedBytes[type];
    if (length === undefined) throw damaged();
    const value = taken(length);
    if (type === stringType) headers.set(name, value.toString("utf8"));
  }
  return headers;
}

const damaged = () => unusableResponse("the event stream is damaged");
