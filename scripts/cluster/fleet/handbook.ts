import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { repoRoot } from "@uag/local/paths";
import type { Kubectl } from "../node/kubectl.ts";
import { run } from "../node/run.ts";

/** Commands of what this cluster does not have. */
const absent = "# if keda.enabled";

/**
 * The commands of one numbered step of a section of the handbook, as an operator copies them.
 * @throws {Error} if the step has none
 */
export function commandsOf(handbook: string, section: string, step: number): string {
  const [, body = ""] = handbook.split(`\n## ${section}\n`);
  const [text = ""] = body.split(/\n## /);
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`${step}. `));
  const length = lines.slice(start + 1).findIndex((line) => /^\d+\. |^\S/.test(line));
  const own = start === -1 ? [] : lines.slice(start, length === -1 ? undefined : start + 1 + length);
  const indented = own.filter((line) => line.startsWith("       ")).map((line) => line.slice(7));
  const inline = [...own.join(" ").matchAll(/`(kubectl [^`]+)`/g)].map(([, command = ""]) => command);
  const commands = [...indented, ...inline].filter((line) => !line.endsWith(absent));
  if (commands.length === 0) throw new Error(`step ${step} of "${section}" has no commands`);
  return commands.join("\n");
}

/** Runs the commands of a step in a shell whose `kubectl` has an administrator's rights. */
export async function follow(kubectl: Kubectl, section: string, step: number): Promise<void> {
  const handbook = await readFile(join(repoRoot, "infra/README.md"), "utf8");
  const path = `${dirname(kubectl.program)}:${process.env["PATH"]}`;
  const env = [`KUBECONFIG=${kubectl.kubeconfig}`, `PATH=${path}`];
  await run("env", [...env, "sh", "-e", "-u"], commandsOf(handbook, section, step));
}
