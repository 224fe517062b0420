import { readConfig } from "./config.ts";
import { startSimulator } from "./service.ts";

const config = readConfig(process.env);
const simulator = await startSimulator({
  port: config.PORT,
  host: config.HOST,
  dataDir: config.DATA_DIR,
  faults: config.SIM_FAULTS,
  maxBodyBytes: config.SIM_MAX_BODY_BYTES,
  taskMs: config.SIM_TASK_MS,
  logLimit: config.SIM_LOG_LIMIT,
});
console.log(`simulator listening on ${simulator.url}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void simulator.close());
