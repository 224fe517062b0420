import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import type { RefusalReport } from "@uag/runtime/refusals";
import type { Request } from "express";
import { knownKeyOf } from "../keys/known-key.ts";
import { loggedPath } from "../logged-path.ts";
import type { GatewayResponse, Handler, RequestState } from "../request-state.ts";

export interface ObserveOptions {
  metrics: Metrics;
  log: Logger;
  /** Which requests are logged. */
  accessLog: "off" | "errors" | "all";
  refusals: RefusalReport;
}

/**
 * A bound child per operation and status, created on first use, because lookups by label are slow.
 */
class BoundByStatus<T> {
  readonly #bind: (operation: string, status: string) => T;
  readonly #children = new Map<string, Map<number, T>>();

  constructor(bind: (operation: string, status: string) => T) {
    this.#bind = bind;
  }

  get(operation: string, status: number): T {
    let ofOperation = this.#children.get(operation);
    if (ofOperation === undefined) {
      ofOperation = new Map();
      this.#children.set(operation, ofOperation);
    }
    let child = ofOperation.get(status);
    if (child === undefined) {
      child = this.#bind(operation, String(status));
      ofOperation.set(status, child);
    }
    return child;
  }
}

function operationOf(route: RequestState["route"]): string {
  if (route === undefined) return "none";
  return "operation" in route ? route.operation : route.query;
}

/** Counts an error response of the router's own to a request with a key that exists. */
function countRefusal(refusals: RefusalReport, { requestId, key, refused, route }: RequestState): void {
  if (refused === undefined) return;
  const owner = key ?? knownKeyOf(refused);
  if (owner === undefined) return;
  const { accountId, keyId } = owner;
  refusals.add({ accountId, keyId, requestId, operation: operationOf(route), error: refused });
}

/**
 * Counts and times each request when its response is over, and logs those that the operator
 * selected.
 */
export function observe(options: ObserveOptions): Handler {
  const { metrics, log, accessLog, refusals } = options;
  const requests = metrics.counter("uag_requests_total");
  const broken = metrics.counter("uag_broken_responses_total");
  const seconds = metrics.seconds("uag_request_seconds");
  const inFlight = metrics.gauge("uag_requests_in_flight");
  const counters = new BoundByStatus((operation, status) => requests.labels(operation, status));
  const timers = new BoundByStatus((operation) => seconds.labels(operation));
  const openNow = inFlight.labels();

  const onClose = (request: Request, response: GatewayResponse): void => {
    const { route, startedAt, failure } = response.locals;
    const operation = operationOf(route);
    const durationMs = performance.now() - startedAt;
    openNow.dec();
    counters.get(operation, response.statusCode).inc();
    timers.get(operation, 0).observe(durationMs / 1_000);
    countRefusal(refusals, response.locals);
    if (!response.writableFinished) broken.inc({ operation });
    const failed = failure !== undefined || response.statusCode >= 400;
    if (accessLog === "all" || (accessLog === "errors" && failed)) log.info(lineOf(request, response, durationMs));
  };

  return (request, response, next) => {
    openNow.inc();
    response.once("close", () => onClose(request, response));
    next();
  };
}

function lineOf(request: Request, response: GatewayResponse, durationMs: number): object {
  const { requestId, trace, key, failure } = response.locals;
  return {
    request_id: requestId,
    trace_id: trace?.traceId,
    method: request.method,
    path: loggedPath(request.originalUrl),
    status: response.statusCode,
    key_id: key?.keyId,
    duration_ms: Math.round(durationMs),
    failure,
  };
}
