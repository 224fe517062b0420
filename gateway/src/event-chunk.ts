import { headerOf } from "@uag/runtime/http/header-of";
import type { HeaderList } from "./headers.ts";

export function isEventStream(headers: HeaderList): boolean {
  return headerOf(headers, "content-type")?.startsWith("text/event-stream") === true;
}

/** The end of a chunked body (RFC 9112, 7.1). */
export const lastChunk = "0\r\n\r\n";

/**
 * Bytes as one chunk of a chunked body, in a string with one character per byte. Node writes a
 * chunk's size, bytes and line end as three pieces, which costs a stream of small chunks a third of
 * all its work.
 */
export function chunkOf(bytes: Buffer): string {
  return `${bytes.length.toString(16)}\r\n${bytes.toString("latin1")}\r\n`;
}
