import { fail } from "@uag/command/step.mjs";
import { start } from "./commands/start.ts";

await start(process.argv.slice(2)).catch(fail);
