import { run } from "@uag/kit/run.ts";
import { startService } from "./service.ts";

await run(startService);
