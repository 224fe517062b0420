import { execFile } from "node:child_process";
import { promisify } from "node:util";

export const run = promisify(execFile);
export const installTimeoutMs = 300_000;

/** Installs packages of PyPI into a virtual environment in `dir`. */
export async function installPython(dir: string, packages: readonly string[]): Promise<void> {
  await run("python3", ["-m", "venv", dir], { timeout: installTimeoutMs });
  await run(`${dir}/bin/pip`, ["install", "--quiet", ...packages], { timeout: installTimeoutMs });
}
