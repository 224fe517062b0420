import { type HealthCheck, respondOperator } from "@uag/runtime/health";
import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import type { Express } from "express";
import { type AdminOptions, mountAdmin } from "./admin/mount.ts";
import { bareApp, mountReads } from "./app.ts";
import { reference } from "./handlers/docs.ts";
import { notFound, renderErrors } from "./middleware/errors.ts";
import { requestId } from "./middleware/request-id.ts";
import type { Handler } from "./request-state.ts";

export interface OperatorAppOptions {
  readonly log: Logger;
  readonly observe: Handler;
  readonly metrics: Metrics;
  readonly readiness: Record<string, HealthCheck>;
  /** Undefined: only health and metrics are served. */
  readonly admin: AdminOptions | undefined;
}

/**
 * The operator server: health, metrics and the admin API with its reference. They share a listener
 * because they share an audience, which differs from the public server's.
 */
export function createOperatorApp({ log, observe, metrics, readiness, admin }: OperatorAppOptions): Express {
  const app = bareApp();
  app.use(requestId);
  app.use(async (request, response, next) => {
    if (!(await respondOperator(request, response, { metrics, checks: readiness }))) next();
  });
  app.use(observe);
  if (admin !== undefined) {
    mountAdmin(app, admin);
    mountReads(app, reference(["admin"]));
  }
  app.use(notFound);
  app.use(renderErrors(log));
  return app;
}
