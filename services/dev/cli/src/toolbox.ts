// Keeps the toolbox's pod running, so that operators can run uag.js in it.
import { readConfig } from "@uag/runtime/config";
import { startAdminServer } from "@uag/runtime/health";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { run } from "@uag/runtime/run";
import { schema } from "./config.ts";

await run(async () => {
  const { HOST: host, ADMIN_PORT, LOG_LEVEL: level } = readConfig(schema);
  const admin = await startAdminServer({ host, port: ADMIN_PORT, metrics: createMetrics("toolbox"), checks: {} });
  createLogger({ service: "toolbox", level }).info({ adminPort: admin.port }, "toolbox is up");
  return admin;
});
