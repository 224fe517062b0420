// All services in one process: npm start -- --single. See single-process.ts.
import { run } from "@uag/runtime/run";
import { startServices } from "./start-services.ts";

await run(() => startServices());
