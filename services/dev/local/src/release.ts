import { join } from "node:path";
import { repoRoot } from "./paths.ts";
import { type ServiceRow, services } from "./processes.ts";

/** The code of all services, and how each is started. */
export interface Release {
  /** Its checkout. */
  readonly root: string;
  /** Every service in start order. */
  readonly services: readonly ServiceRow[];
}

/** What this checkout runs. */
export const ownRelease: Release = { root: repoRoot, services };

/** Another checkout of this repository, with its packages installed: it says how it is started. */
export async function releaseIn(root: string): Promise<Release> {
  const rows = (await import(join(root, "services/dev/local/src/processes.ts"))) as Pick<Release, "services">;
  return { root, services: rows.services };
}
