import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Cloud metadata hosts, reachable from every machine at addresses that look public. */
const within = new Set(["168.63.129.16"]);
/**
 * Everything routed on the internet today (RFC 4291, 2.5.4); other addresses are translations or
 * unassigned.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * True for an address that a request on a user's behalf may go to: an ordinary public host, by the
 * IANA special-purpose registries, and not a form that embeds an IPv4 address (which could be
 * private). Anything that is not an IP address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast" || within.has(address)) return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.match(globalUnicast) && !isIsatap(parsed.parts));
}

/** The interface identifier of RFC 5214: its last four bytes are an IPv4 address. */
function isIsatap([, , , , first = 0, second]: readonly number[]): boolean {
  return (first & 0xfdff) === 0 && second === 0x5efe;
}

/**
 * Names that mean something different on every network, or nothing: RFC 6761, 6762, 8375, and those
 * reserved for private use.
 */
const privateSuffix = /(?:^|\.)(?:localhost|localdomain|local|internal|home\.arpa)$/;

/** Lengths of a name and of its labels, in octets: RFC 1035, 2.3.4. */
const maxNameLength = 253;
const maxLabelLength = 63;

/** False for a name that cannot belong to a public host, whatever a name server says. */
export function isPublicName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  const labels = name.split(".");
  if (labels.length < 2 || name.length > maxNameLength) return false;
  return labels.every(({ length }) => length > 0 && length <= maxLabelLength) && !privateSuffix.test(name);
}
