import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Hosts of clouds that answer from within every machine, at addresses that look like anybody's. */
const within = new Set(["168.63.129.16"]);
/**
 * All that is routed on the internet today (RFC 4291, 2.5.4); what is outside is some translation,
 * or not assigned.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * True for an address that a request on a user's behalf may go to: an ordinary host of the public
 * internet, by the IANA registries for special addresses, and no form that carries an IPv4 address
 * inside (a private one could hide there). Anything that is not an IP address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast" || within.has(address)) return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.match(globalUnicast) && !isIsatap(parsed.parts));
}

/** An interface's identifier of RFC 5214: the last four bytes are an IPv4 address. */
function isIsatap([, , , , first = 0, second]: readonly number[]): boolean {
  return (first & 0xfdff) === 0 && second === 0x5efe;
}

/**
 * Names that mean something else on every network, or nothing: RFC 6761, 6762, 8375, and what is
 * kept for private use.
 */
const privateSuffix = /(?:^|\.)(?:localhost|localdomain|local|internal|home\.arpa)$/;

/**
 * False for a name that cannot belong to a host of the public internet, whatever a name server
 * says.
 */
export function isPublicName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return name.includes(".") && !privateSuffix.test(name);
}
