// Runs one TypeScript program of this repository: node scripts/run.mjs <program> [arguments].

import { fail } from "../services/dev/local/src/terminal/step.mjs";
import { runProgram } from "./lib/node.mjs";

const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) fail(new Error("usage: node scripts/run.mjs <program> [arguments]"));
await runProgram(entry, args).catch(fail);
