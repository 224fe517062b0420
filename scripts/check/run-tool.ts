import { delimiter, join } from "node:path";
import { runTool } from "@uag/local/engines/run-tool";
import { repoRoot as root } from "@uag/local/paths";

/**
 * Runs a program of node_modules/.bin. Returns no problem if it succeeds, else its whole output as
 * one problem.
 */
export async function problemsOf(
  command: string,
  args: readonly string[],
  { cwd = root, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string[]> {
  const path = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const { code, output } = await runTool(command, args, { cwd, env: { ...process.env, ...env, PATH: path } });
  return code === 0 ? [] : [output.trim()];
}
