import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { print } from "@uag/local/terminal/step";

/**
 * Runs a proof in its own data directory, which is removed if the proof succeeds. Otherwise it
 * keeps databases, journals and logs for troubleshooting.
 */
export async function inDataDir(name: string, proof: (dataDir: string) => Promise<boolean>): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), `${name}-`));
  let clean = false;
  try {
    clean = await proof(dataDir);
  } finally {
    if (clean) await rm(dataDir, { recursive: true, force: true });
    else print(`Its data and logs are in ${dataDir}.`);
  }
  return clean;
}
