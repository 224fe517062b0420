import { start } from "./start.ts";
import { fail } from "./terminal/step.mjs";

await start(process.argv.slice(2)).catch(fail);
