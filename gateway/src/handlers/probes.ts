import { checkHealth, type HealthCheck } from "@uag/kit/health.ts";
import type { Handler } from "../request-state.ts";
import { sendJson } from "../respond.ts";

/** The paths that say that the gateway is there, and ask for no key. */
export type ProbePath = "/" | "/api/hello" | "/health/live" | "/health/ready" | "/health";

/** Names the service; clients that only probe the address get an empty 200 by HEAD. */
export const greeting: Handler = (request, response) => {
  sendJson(request, response, 200, '{"name":"unified-ai-gateway","api":"/v1"}');
};

export const live: Handler = (request, response) => {
  sendJson(request, response, 200, '{"status":"ok"}');
};

/** Ready or not; why not is for operators, on their own port. */
export function ready(checks: Record<string, HealthCheck>): Handler {
  return async (request, response) => {
    const { status } = await checkHealth(checks);
    sendJson(request, response, status === "ok" ? 200 : 503, JSON.stringify({ status }));
  };
}
