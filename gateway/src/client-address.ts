import { isIP } from "node:net";
import type { Request } from "express";

const mapped = "::ffff:";
const maxList = 2_048;

/** An IPv4 address that came over an IPv6 socket as what it is. */
function plain(address: string): string {
  const rest = address.startsWith(mapped) ? address.slice(mapped.length) : "";
  return isIP(rest) === 4 ? rest : address;
}

/**
 * The IP address that a request comes from. Each trusted proxy in front has appended the address of
 * whom it heard to `x-forwarded-for`: what stands further left was written by the client, and is
 * not looked at.
 * @param trustedHops how many proxies of ours stand in front; with none the header counts for
 * nothing
 */
export function clientAddress(request: Pick<Request, "headers" | "socket">, trustedHops: number): string {
  const peer = plain(request.socket.remoteAddress ?? "");
  const list = trustedHops === 0 ? undefined : request.headers["x-forwarded-for"];
  if (typeof list !== "string") return peer;
  const reported = list.slice(-maxList).split(",").at(-trustedHops)?.trim() ?? "";
  return isIP(reported) === 0 ? peer : plain(reported);
}
