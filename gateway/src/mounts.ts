import type { IncomingHttpHeaders } from "node:http";
import { mountBodyLimits } from "@uag/contract/routes.ts";

/** A path, with all below it, that an HTTP service of ours serves behind the router. */
export interface Mount {
  readonly path: string;
  /** The setting that says where the service is. */
  readonly setting: "ASSETS_URL" | "CONSOLE_URL" | "MCP_URL";
  /**
   * What of a client's credentials the service gets to see, and may set. Anything else is taken
   * off.
   */
  readonly credentials: readonly ("authorization" | "cookie")[];
  /** Largest request body, bytes. */
  readonly maxBodyBytes: number;
}

export const mounts: readonly Mount[] = [
  { path: "/assets", setting: "ASSETS_URL", credentials: [], maxBodyBytes: mountBodyLimits["/assets"] },
  { path: "/mcp", setting: "MCP_URL", credentials: ["authorization"], maxBodyBytes: mountBodyLimits["/mcp"] },
  { path: "/console", setting: "CONSOLE_URL", credentials: ["cookie"], maxBodyBytes: mountBodyLimits["/console"] },
];

/**
 * What readers behind us could take for another path than we do: what climbs, what is written as a
 * backslash, twice, or with its dots, slashes, percent signs or an end of text in disguise.
 */
const ambiguous = /\\|%(?:2e|2f|5c|25|00)|\/\/|\/\.{1,2}(?:[/;]|$)/i;

/** True for the target of a request that stays under the mount however it is read. */
export function staysWithin({ path }: Mount, target: string): boolean {
  const end = target.search(/[?#]/);
  const requested = end < 0 ? target : target.slice(0, end);
  return (requested === path || requested.startsWith(`${path}/`)) && !ambiguous.test(requested);
}

const credentials: readonly string[] = ["authorization", "cookie"];
/**
 * Of the connection to us, of other gateways' keys, and what only we may say of where a request
 * comes from.
 */
const neverPassed = new Set([
  "connection",
  "expect",
  "forwarded",
  "keep-alive",
  "te",
  "trailer",
  "upgrade",
  "via",
  "x-api-key",
  "x-auth-token",
  "x-goog-api-key",
  "x-real-ip",
  "x-request-id",
]);
const neverPassedPrefixes = ["proxy-", "x-envoy-", "x-forwarded-"];

/** The headers with which a request goes on to the service of a mount. */
export function passedHeaders(
  headers: IncomingHttpHeaders,
  mount: Mount,
  from: { readonly address: string; readonly protocol: "http" | "https" },
): IncomingHttpHeaders {
  const allowed = (name: string): boolean => {
    if (credentials.includes(name)) return (mount.credentials as readonly string[]).includes(name);
    return !neverPassed.has(name) && !neverPassedPrefixes.some((prefix) => name.startsWith(prefix));
  };
  return {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => allowed(name))),
    "x-forwarded-for": from.address,
    "x-forwarded-host": headers.host ?? "",
    "x-forwarded-proto": from.protocol,
  };
}
