import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { repoRoot } from "./paths.ts";
import { type ServiceRow, services } from "./processes.ts";

/** The code of all services, and their start commands. */
export interface Release {
  /** Its checkout. */
  readonly root: string;
  /** Every service in start order. */
  readonly services: readonly ServiceRow[];
}

/** The release of this checkout. */
export const ownRelease: Release = { root: repoRoot, services };

/** Loads another checkout of this repository, with its packages installed and its own start commands. */
export async function releaseIn(root: string): Promise<Release> {
  const rows = (await import(join(root, "services/dev/local/src/processes.ts"))) as Pick<Release, "services">;
  return { root, services: rows.services };
}

/** The commit of the last release: `npm run release` writes it. */
const releasedFile = "infra/released.txt";

/** The last release: the newest tag, or what `infra/released.txt` names. */
export async function lastRelease(): Promise<{ readonly ref: string; readonly from: string }> {
  const described = promisify(execFile)("git", ["describe", "--tags", "--abbrev=0"], { cwd: repoRoot });
  const tag = await described.then(
    ({ stdout }) => stdout.trim(),
    () => "",
  );
  if (tag !== "") return { ref: tag, from: "the newest tag" };
  return { ref: (await readFile(join(repoRoot, releasedFile), "utf8")).trim(), from: releasedFile };
}
