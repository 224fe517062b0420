// npm start: the whole system on this machine.
import { runProgram } from "./lib/node.mjs";
import { fail } from "./lib/step.mjs";

await runProgram("services/fleet/src/main.ts", process.argv.slice(2)).catch(fail);
