import type { IncomingHttpHeaders } from "node:http";
import { mountBodyLimits } from "@uag/contract/body-limits";

/** A path prefix that one of our HTTP services serves behind the router. */
export interface Mount {
  readonly path: string;
  /** The setting that holds the service's address. */
  readonly setting: "ASSETS_URL" | "CONSOLE_URL" | "MCP_URL";
  /** The client credentials that the service may see and set; any others are removed. */
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
 * Sequences that a parser behind us could read as a different path: dot segments, backslashes,
 * double slashes, and encoded dots, percent signs or NULs.
 */
const ambiguous = /\\|%(?:2e|5c|25|00)|\/\/|\/\.{1,2}(?:[/;]|$)/i;
/** A slash within an id, as in `openai%2Fgpt-4o`, which a parser behind us may read as a slash. */
const encodedSlash = /%2f/gi;

/** True for a request target that stays under the mount however it is parsed. */
export function isUnderMount({ path }: Mount, target: string): boolean {
  const end = target.search(/[?#]/);
  const requested = end < 0 ? target : target.slice(0, end);
  return (
    (requested === path || requested.startsWith(`${path}/`)) && !ambiguous.test(requested.replace(encodedSlash, "/"))
  );
}

const credentials: readonly string[] = ["authorization", "cookie"];
/**
 * Headers of the connection to us, other gateways' keys, and what only we may state about a
 * request's origin.
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

/** The headers of a request as forwarded to the service of a mount. */
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
