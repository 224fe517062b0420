import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

export const root = join(import.meta.dirname, "../..");

/** Runs a program of node_modules/.bin; answers its exit code and all it wrote. */
export function runTool(
  command: string,
  args: readonly string[],
  cwd: string = root,
): Promise<{ code: number | null; output: string }> {
  const path = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, PATH: path }, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** The output of a program that failed, as the one problem; none when it did not fail. */
export async function problemsOf(command: string, args: readonly string[], cwd?: string): Promise<string[]> {
  const { code, output } = await runTool(command, args, cwd);
  return code === 0 ? [] : [output.trim()];
}
