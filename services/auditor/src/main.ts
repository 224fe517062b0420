import { run } from "@uag/kit/run.ts";
import { auditOnce, startService } from "./service.ts";

if (process.argv.includes("--once")) process.exit((await auditOnce()) ? 0 : 1);
await run(startService);
