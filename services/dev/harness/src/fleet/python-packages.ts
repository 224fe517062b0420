import { access, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "@uag/local/engines/run-tool";
import { binDir } from "@uag/local/paths";

/**
 * A folder for `PYTHONPATH` with packages from PyPI, downloaded atomically if missing. It only
 * needs pip, while a virtual environment needs packages that a bare machine lacks.
 * @param name name of the folder; use another for other versions
 * @param packages e.g. `requests==2.32.5`
 * @throws with pip's output
 */
export async function pythonPackages(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(binDir, name);
  const there = await access(folder).then(
    () => true,
    () => false,
  );
  if (there) return folder;
  const part = `${folder}.part-${process.pid}`;
  await mkdir(binDir, { recursive: true });
  const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", part, ...packages];
  const { code, output } = await runTool("python3", args);
  if (code !== 0) throw new Error(`pip could not install ${packages.join(", ")}:\n${output}`);
  await rename(part, folder).catch(async (error: NodeJS.ErrnoException) => {
    // Another process was faster.
    if (error.code !== "ENOTEMPTY") throw error;
    await rm(part, { recursive: true });
  });
  return folder;
}
