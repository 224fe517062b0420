/** Alternating name and value, names in lower case: the format of headers on the link. */
export type HeaderList = string[];

const passed = new Set([
  "accept",
  "accept-language",
  "content-length",
  "content-type",
  "idempotency-key",
  "prefer",
  "traceparent",
  "tracestate",
  "user-agent",
]);
const passedPrefixes = ["anthropic-", "openai-", "x-"];

/**
 * Credentials, headers that the router sets itself, and those that only describe the client's
 * network or its SDK's build.
 */
const dropped = new Set(["x-api-key", "x-goog-api-key", "x-auth-token", "x-real-ip"]);
const droppedPrefixes = ["x-forwarded-", "x-envoy-", "x-stainless-"];

function canonical(name: string): string {
  // An underscore is never treated as a hyphen, so no `x_twin` can impersonate its namesake behind
  // us.
  if (!/^[a-z0-9-]+$/.test(name)) return "";
  if (dropped.has(name) || droppedPrefixes.some((prefix) => name.startsWith(prefix))) return "";
  // The ledger is keyed by our own request id: the client's is forwarded next to it.
  if (name === "x-request-id") return "x-client-request-id";
  return passed.has(name) || passedPrefixes.some((prefix) => name.startsWith(prefix)) ? name : "";
}

const maxKnownNames = 2_000;
const knownNames = new Map<string, string>();

function forwardedName(raw: string): string {
  const known = knownNames.get(raw);
  if (known !== undefined) return known;
  const name = canonical(raw.toLowerCase());
  if (knownNames.size >= maxKnownNames) knownNames.clear();
  knownNames.set(raw, name);
  return name;
}

/** The part of a request's head that a capability service sees. */
export function forwardedHeaders(rawHeaders: readonly string[]): HeaderList {
  const list: HeaderList = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = forwardedName(rawHeaders[i] as string);
    if (name !== "") list.push(name, rawHeaders[i + 1] as string);
  }
  return list;
}

/** How often a header occurs; `name` in lower case. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) count++;
  }
  return count;
}

/**
 * Response headers of a service that describe its connection to the router, and those that the
 * router sets itself.
 */
const hiddenHeaders = new Set([
  "connection",
  "keep-alive",
  "openai-processing-ms",
  "request-id",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-content-type-options",
  "x-request-id",
]);

/** Appends the headers of a service's response that the client may see. */
export function appendResponseHeaders(to: HeaderList, from: readonly string[]): void {
  for (let i = 0; i + 1 < from.length; i += 2) {
    const name = from[i] as string;
    if (!hiddenHeaders.has(name)) to.push(name, from[i + 1] as string);
  }
}
