import { run } from "@uag/runtime/run";
import { startService } from "./service.ts";

await run(startService);
