import { checkHealth, type HealthCheck } from "@uag/runtime/health";
import type { Handler } from "../request-state.ts";
import { sendJson } from "../respond.ts";

/** Paths that show that the gateway is up, without a key. */
export type ProbePath = "/" | "/api/hello" | "/health/live" | "/health/ready" | "/health";

/** Names the service; clients that only probe the address with HEAD get an empty 200. */
export const greeting: Handler = (request, response) => {
  sendJson(request, response, 200, '{"name":"unified-ai-gateway","api":"/v1"}');
};

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
