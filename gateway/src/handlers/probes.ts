import { checkHealth, type HealthCheck } from "@uag/runtime/health";
import type { Handler } from "../request-state.ts";
import { responseHeaders, sendJson } from "../respond.ts";

/** Paths that need no key: whether the gateway is up, and the keys that sign receipts. */
export type ProbePath = "/" | "/api/hello" | "/health/live" | "/health/ready" | "/health" | "/.well-known/jwks.json";

/** Names the service; clients that only probe the address with HEAD get an empty 200. */
export const greeting: Handler = (request, response) => {
  sendJson(request, response, 200, '{"name":"unified-ai-gateway","api":"/v1"}');
};

/** Browsers name HTML in `accept`; curl and SDKs accept anything, or JSON. */
const wantsHtml = (accept: string | undefined): boolean => /(?:^|,)\s*text\/html\b/.test(accept ?? "");

/** Sends a browser to another page, for now: a console may be added to a gateway, or removed. */
export const redirectTo =
  (path: string): Handler =>
  (request, response) => {
    const headers = responseHeaders(request, response);
    headers.push("location", path, "vary", "accept", "content-length", "0");
    response.writeHead(302, headers).end();
  };

/** The front page: for a browser the page of `forPeople`, for any other client the greeting. */
export function frontPage(forPeople: Handler): Handler {
  return (request, response, next) => {
    return (wantsHtml(request.headers.accept) ? forPeople : greeting)(request, response, next);
  };
}

export const live: Handler = (request, response) => {
  sendJson(request, response, 200, '{"status":"ok"}');
};

/** Readiness without reasons, which are served on the operator port. */
export function ready(checks: Record<string, HealthCheck>): Handler {
  return async (request, response) => {
    const { status } = await checkHealth(checks);
    sendJson(request, response, status === "ok" ? 200 : 503, JSON.stringify({ status }));
  };
}
