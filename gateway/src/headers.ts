/** Name and value by turns, names in lower case: how headers travel over the link. */
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
 * Credentials, what the router sets itself, and what only describes the client's network or its
 * SDK's build.
 */
const dropped = new Set(["x-api-key", "x-goog-api-key", "x-auth-token", "x-real-ip"]);
const droppedPrefixes = ["x-forwarded-", "x-envoy-", "x-stainless-"];

function canonical(name: string): string {
  // An underscore never stands for a hyphen, so that no `x_twin` can speak for its namesake behind
  // us.
  if (!/^[a-z0-9-]+$/.test(name)) return "";
  if (dropped.has(name) || droppedPrefixes.some((prefix) => name.startsWith(prefix))) return "";
  // The ledger is keyed by our own request id: the client's travels beside it.
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

/** What of a request's head a capability service gets to see. */
export function forwardedHeaders(rawHeaders: readonly string[]): HeaderList {
  const list: HeaderList = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = forwardedName(rawHeaders[i] as string);
    if (name !== "") list.push(name, rawHeaders[i + 1] as string);
  }
  return list;
}

/** How often a header came; `name` in lower case. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) count++;
  }
  return count;
}

/**
 * Headers of a service's answer that describe its connection to the router, and those that the
 * router sets itself.
 */
const notAnswered = new Set([
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

/** Appends what of a service's head goes to the client. */
export function appendResponseHeaders(to: HeaderList, from: readonly string[]): void {
  for (let i = 0; i + 1 < from.length; i += 2) {
    const name = from[i] as string;
    if (!notAnswered.has(name)) to.push(name, from[i + 1] as string);
  }
}
