import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import { logServerError } from "@uag/runtime/server-error";
import type { ApiError } from "./gateway/api-error.ts";

/** The service's business events. */
export interface Events {
  /** A request to /mcp got its response. */
  responded(status: number): void;
  /** A tool was called. `error` is the public API's error. */
  called(tool: string, seconds: number, error?: ApiError): void;
  /** A message was refused, or its response could not be delivered. */
  rejected(error: Error): void;
  /**
   * A request to /mcp got an error response. One of ours with a status of 500 or more is logged
   * with its cause; the gateway has logged its own.
   */
  refused(error: GatewayError | ApiError, requestId: string): void;
  /** A tool failed unexpectedly. */
  failed(error: unknown, requestId?: string): void;
}

export function createEvents(log: Logger, metrics: Metrics): Events {
  const requests = metrics.counter("uag_mcp_requests_total");
  const calls = metrics.seconds("uag_mcp_tool_call_seconds");
  return {
    responded: (status) => requests.inc({ status: String(status) }),
    called: (tool, seconds, error) => calls.observe({ tool, outcome: error?.code ?? "ok" }, seconds),
    rejected: (error) => log.debug({ err: error }, "rejected a message"),
    refused(error, requestId) {
      if (error instanceof GatewayError) logServerError(log, error, { requestId });
    },
    failed: (error, requestId) => log.error({ err: error, request_id: requestId }, "MCP tool call failed"),
  };
}
