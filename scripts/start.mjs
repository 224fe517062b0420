// npm start: the whole system on this machine.

import { fail } from "../services/dev/local/src/terminal/step.mjs";
import { runProgram } from "./lib/node.mjs";

// Printed before any module is loaded, so that the user sees a response immediately.
if (process.argv.length === 2) process.stderr.write("Starting the gateway …\n");

await runProgram("services/dev/local/src/main.ts", process.argv.slice(2)).catch(fail);
