import type { Dispatcher } from "undici";
import type { UpstreamFailure } from "../failure.ts";
import { malformedResponse } from "./errors.ts";

/** An answer's headers, names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Names and values of an answer's head together, bytes. */
export const maxHeadBytes = 64 * 1024;
const maxHeaders = 256;

/** @param name in lower case */
export function headerIn(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/**
 * What the parser lets pass and we do not: a coding that nobody would undo, and headers without
 * number.
 */
export function headFault(
  headers: Headers,
  raw: Dispatcher.DispatchController["rawHeaders"],
): UpstreamFailure | undefined {
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && (typeof coding !== "string" || coding.toLowerCase() !== "chunked")) {
    return malformedResponse("a transfer coding other than chunked");
  }
  if (Array.isArray(raw) && raw.length > 2 * maxHeaders) return malformedResponse("too many headers");
  return undefined;
}
