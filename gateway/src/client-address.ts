import { isIP } from "node:net";
import type { Request } from "express";

const mapped = "::ffff:";
const maxList = 2_048;

/** Unwraps an IPv4-mapped IPv6 address. */
function plain(address: string): string {
  const rest = address.startsWith(mapped) ? address.slice(mapped.length) : "";
  return isIP(rest) === 4 ? rest : address;
}

/**
 * The IP address of a request's client. Each trusted proxy in front has appended its peer's address
 * to `x-forwarded-for`; anything further left was sent by the client and is ignored.
 * @param trustedHops how many of our own proxies are in front; with 0 the header is ignored
 */
export function clientAddress(request: Pick<Request, "headers" | "socket">, trustedHops: number): string {
  const peer = plain(request.socket.remoteAddress ?? "");
  const list = trustedHops === 0 ? undefined : request.headers["x-forwarded-for"];
  if (typeof list !== "string") return peer;
  const reported = list.slice(-maxList).split(",").at(-trustedHops)?.trim() ?? "";
  return isIP(reported) === 0 ? peer : plain(reported);
}
