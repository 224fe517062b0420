import { run } from "@uag/runtime/run";
import { auditOnce, reconcileOnce, startService } from "./service.ts";

if (process.argv.includes("--once")) process.exit((await auditOnce()) ? 0 : 1);
if (process.argv.includes("--reconcile")) process.exit(await reconcileOnce());
await run(startService);
