import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { commands } from "@uag/cli/command-list";
import { repoRoot } from "@uag/local/paths";
import { runbookSpans, runbooks } from "./sources.ts";

/** Commands of a checkout or of another pod: the handbook says how they are run on Kubernetes. */
const elsewhere = new Set(["catalog", "logs", "prices", "reconcile"]);

interface Used {
  readonly alert: string;
  readonly command: string;
  /** Its subcommand and options, as the runbook writes them. */
  readonly words: readonly string[];
}

async function usedCommands(): Promise<Used[]> {
  const used: Used[] = [];
  for (const alert of await runbooks())
    for (const span of await runbookSpans(alert)) {
      const [, command = "", args = ""] = /^npm run ([\w:-]+)(?: -- (.*))?$/.exec(span) ?? [];
      if (command === "") continue;
      const words = args.split(" ").filter((word, index) => word.startsWith("--") || (index === 0 && word !== ""));
      used.push({ alert, command, words });
    }
  return used;
}

test("every command of every runbook exists with its options, and runs on Kubernetes as the handbook states", async () => {
  const { scripts } = JSON.parse(await readFile(join(repoRoot, "package.json"), "utf8"));
  const handbook = await readFile(join(repoRoot, "infra/README.md"), "utf8");
  const used = await usedCommands();
  assert.ok(used.length > 10, `${used.length} commands`);
  for (const [command, uses] of Map.groupBy(used, (one) => one.command)) {
    const inToolbox = Object.hasOwn(commands, command);
    assert.ok(inToolbox !== elsewhere.has(command), command);
    if (!inToolbox && command !== "prices") assert.match(handbook, new RegExp(`\\| \`npm run ${command}`), command);
    const [, , program = ""] = (scripts[command] as string).split(" ");
    const argv = inToolbox ? ["services/dev/cli/src/uag.ts", command, "--help"] : [program, "--help"];
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: repoRoot });
    for (const { alert, words } of uses)
      for (const word of words) assert.ok(stdout.includes(word), `${alert}: npm run ${command} has no ${word}`);
  }
});
