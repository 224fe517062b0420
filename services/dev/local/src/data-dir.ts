import { chmod, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { repoRoot } from "./paths.ts";
import { endTaggedProcesses } from "./supervisor/tagged.ts";
import { lockOwner, tryLock } from "./terminal/lock.mjs";
import { UserError } from "./terminal/step.mjs";

/**
 * Set in every process of a fleet, so that the next fleet on the same folder can end leftovers of
 * the last.
 */
export const dataDirMark = "FLEET_DATA_DIR";

const graceMs = 5_000;

/**
 * Resolves a folder name given by the user; a relative one is relative to the top of the checkout.
 */
export function resolveDataDir(name: string): string {
  return resolve(repoRoot, name);
}

const lockOf = (dataDir: string): string => join(dataDir, "fleet.lock");

/** The process id of the fleet running on a data directory, or undefined. */
export function fleetOn(dataDir: string): Promise<number | undefined> {
  return lockOwner(lockOf(dataDir));
}

/**
 * Locks a data directory for this process, and ends processes that a killed fleet left running on
 * it.
 * @throws {UserError} when another fleet runs on it.
 */
export async function takeDataDir(dataDir: string): Promise<AsyncDisposable> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // An earlier release may have left it accessible to others.
  await chmod(dataDir, 0o700);
  const release = await tryLock(lockOf(dataDir));
  if (release === undefined) {
    throw new UserError(
      `A fleet is already running on ${dataDir} (process ${await fleetOn(dataDir)}).\n` +
        "Stop it, or start a second one: PORT=8081 DATA_DIR=.data-2 npm start",
    );
  }
  await endTaggedProcesses(dataDirMark, dataDir, graceMs);
  return { [Symbol.asyncDispose]: release };
}
