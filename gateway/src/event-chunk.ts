import { type HeaderList, headerOf } from "./headers.ts";

const CR = 13;
const LF = 10;

export function isEventStream(headers: HeaderList): boolean {
  return headerOf(headers, "content-type")?.startsWith("text/event-stream") === true;
}

/** What ends a chunked body (RFC 9112, 7.1). */
export const lastChunk = "0\r\n\r\n";

/**
 * Bytes as one chunk of a chunked body, in one piece. Node writes a chunk's size, bytes and line end as three pieces, which
 * costs a stream of small chunks a third of all its work.
 */
export function chunkOf(bytes: Buffer): Buffer {
  const size = bytes.length.toString(16);
  const start = size.length + 2;
  const end = start + bytes.length;
  const chunk = Buffer.allocUnsafe(end + 2);
  chunk.write(size, 0, "latin1");
  chunk[start - 2] = CR;
  chunk[start - 1] = LF;
  bytes.copy(chunk, start);
  chunk[end] = CR;
  chunk[end + 1] = LF;
  return chunk;
}
