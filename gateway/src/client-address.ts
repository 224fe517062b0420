import { isIP, isIPv6 } from "node:net";
import type { Request } from "express";

const mapped = "::ffff:";
const longestList = 2_048;

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
  const told = list.slice(-longestList).split(",").at(-trustedHops)?.trim() ?? "";
  return isIP(told) === 0 ? peer : plain(told);
}

/** Groups of an IPv6 address that a provider gives to one customer. */
const networkGroups = 4;

/**
 * Whom an address stands for when failures are counted: whoever has one IPv6 address has all of its
 * /64.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail = ""] = address.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  if (address.includes("::")) while (groups.length + after.length < 2 * networkGroups) groups.push("0");
  return [...groups, ...after].slice(0, networkGroups).join(":");
}
