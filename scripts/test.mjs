// npm test: every test, then every check.
import { runProgram } from "./lib/node.mjs";
import { fail } from "./lib/step.mjs";

await runProgram("scripts/test/main.ts", process.argv.slice(2)).catch(fail);
