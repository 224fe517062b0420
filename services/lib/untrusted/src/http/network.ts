import { isIPv6 } from "node:net";

/** Groups of an IPv6 address that a provider assigns to one customer. */
const networkGroups = 4;

/**
 * The network to which an address's failures are counted: one IPv6 customer controls a
 * whole /64.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail = ""] = address.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  if (address.includes("::")) while (groups.length + after.length < 2 * networkGroups) groups.push("0");
  return [...groups, ...after].slice(0, networkGroups).join(":");
}
