import { join } from "node:path";
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
