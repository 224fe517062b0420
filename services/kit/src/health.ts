import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "./metrics.ts";

/** Answers whether one thing the process needs is there; the text says what is wrong, for an operator. */
export type HealthCheck = () => Promise<{ ok: true } | { ok: false; reason: string }>;

export interface HealthReport {
  status: "ok" | "unavailable";
  checks: Record<string, { ok: boolean; reason?: string }>;
}

/** Runs every check at once; one that throws has failed. */
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

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

export interface AdminServerOptions {
  host: string;
  port: number;
  metrics: Metrics;
  checks: Record<string, HealthCheck>;
}

export interface AdminServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * The process's own port for operators: `/health/live` (the process answers), `/health/ready` and `/health` (all checks
 * pass, else 503 with the failing ones), `/metrics` (Prometheus text).
 */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "").split("?")[0];
    if (path === "/health/live") return answer(response, 200, "application/json", '{"status":"ok"}');
    if (path === "/health/ready" || path === "/health") {
      const report = await checkHealth(options.checks);
      return answer(response, report.status === "ok" ? 200 : 503, "application/json", JSON.stringify(report));
    }
    if (path === "/metrics") {
      const { registry } = options.metrics;
      return answer(response, 200, registry.contentType, await registry.metrics());
    }
    return answer(response, 404, "application/json", '{"error":{"message":"not found"}}');
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
