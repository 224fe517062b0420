import { fail } from "../../../scripts/lib/step.mjs";
import { start } from "./commands/start.ts";

await start(process.argv.slice(2)).catch(fail);
