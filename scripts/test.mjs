// npm test: every test, then every check.

import { fail } from "../services/dev/local/src/terminal/step.mjs";
import { runProgram } from "./lib/node.mjs";

await runProgram("scripts/test/main.ts", process.argv.slice(2)).catch(fail);
