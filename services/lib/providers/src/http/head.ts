import type { Dispatcher } from "undici";
import type { UpstreamFailure } from "../failure.ts";
import { malformedResponse } from "./errors.ts";

/** A response's headers, names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Total size of the names and values of a response's head, bytes. */
export const maxHeadBytes = 64 * 1024;
const maxHeaders = 256;

/** @param name in lower case */
export function headerIn(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/**
 * Problems that the parser accepts and we do not: a transfer coding that we do not decode, and an
 * unbounded number of headers.
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
