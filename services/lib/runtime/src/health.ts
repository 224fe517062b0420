import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pathOf } from "./http/target.ts";
import type { Metrics } from "./metrics.ts";

/** Checks one dependency of the process; the reason describes the fault for an operator. */
export type HealthCheck = () => Promise<{ ok: true } | { ok: false; reason: string }>;

/** The body of `/health/ready`: each check by name, and whether all passed. */
export interface HealthReport {
  status: "ok" | "unavailable";
  checks: Record<string, { ok: boolean; reason?: string }>;
}

/** Runs all checks concurrently; one that throws has failed. */
export async function checkHealth(checks: Record<string, HealthCheck>): Promise<HealthReport> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const result = await check().catch((error: unknown) => ({ ok: false as const, reason: String(error) }));
      return [name, result] as const;
    }),
  );
  const ok = results.every(([, result]) => result.ok);
  return { status: ok ? "ok" : "unavailable", checks: Object.fromEntries(results) };
}

function respond(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

interface OperatorPages {
  metrics: Metrics;
  checks: Record<string, HealthCheck>;
  /** Checks for what this process can only recover from by a restart. Default: none. */
  alive?: Record<string, HealthCheck>;
}

/**
 * Serves `/health/live` (the process responds and needs no restart), `/health/ready` and `/health`
 * (all checks pass, else 503 with the failing ones), and `/metrics` (Prometheus text); returns
 * false for any other path, which is left to the caller.
 */
export async function respondOperator(
  { url }: IncomingMessage,
  response: ServerResponse,
  { metrics, checks, alive = {} }: OperatorPages,
): Promise<boolean> {
  const path = pathOf(url ?? "");
  if (path === "/health/live" || path === "/health/ready" || path === "/health") {
    const report = await checkHealth(path === "/health/live" ? alive : checks);
    respond(response, report.status === "ok" ? 200 : 503, "application/json", JSON.stringify(report));
  } else if (path === "/metrics") {
    respond(response, 200, metrics.registry.contentType, await metrics.registry.metrics());
  } else return false;
  return true;
}

/** Where the operator port listens, and what it serves. */
export interface AdminServerOptions extends OperatorPages {
  host: string;
  port: number;
}

/** A process's operator port. Disposing closes it. */
export interface AdminServer extends AsyncDisposable {
  readonly port: number;
}

/** Starts the process's own port for operators: see {@link respondOperator}. */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const server = createServer(async (request, response) => {
    if (await respondOperator(request, response, options)) return;
    respond(response, 404, "application/json", '{"error":{"message":"not found"}}');
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
