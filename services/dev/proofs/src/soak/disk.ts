import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { DiskOperation } from "@uag/usage/journal/disk-point";
import { MongoClient } from "mongodb";
import { collectFigures, type Figures } from "./figures.ts";
import { Load } from "./load.ts";

const chat = "chat";
const concurrency = 8;
const faultsFile = "disk-faults";

/**
 * Environment for a fleet with an injected disk fault: the faults are read from this file while it
 * exists.
 */
export const diskFaultsEnv = (dataDir: string): Record<string, string> => ({ DISK_FAULTS: join(dataDir, faultsFile) });

/**
 * Operations that fail on a full disk, and those that fail without file descriptors, individually
 * and together.
 */
export const diskFaults = [
  ...(["mkdir", "open", "write", "sync", "rename"] as const satisfies readonly DiskOperation[]).map(
    (one) => `ENOSPC ${one}`,
  ),
  ...(["open", "read", "list", "sync"] as const satisfies readonly DiskOperation[]).map((one) => `EMFILE ${one}`),
  "EIO remove",
  "ENOSPC mkdir open write sync rename",
  "EMFILE open read list sync",
] as const;

/** What the process is doing when its disk fails. */
export const diskPhases = ["billing", "fencing", "adopting"] as const;
type DiskPhase = (typeof diskPhases)[number];

/** Makes billing treat the lease of every chat replica as expired. */
async function fence(fleet: TestFleet): Promise<void> {
  const client = new MongoClient(fleet.run.mongodb_url);
  try {
    const set = { state: "orphaned", orphanedAt: new Date() };
    await client.db("billing").collection("holders").updateMany({ state: "alive", service: chat }, { $set: set });
  } finally {
    await client.close();
  }
}

/** Runs `during` while the disk fails with the given fault. */
export async function onFailingDisk(fleet: TestFleet, fault: string, during: () => Promise<void>): Promise<void> {
  const file = join(fleet.dataDir, faultsFile);
  await writeFile(file, fault);
  try {
    await during();
  } finally {
    await rm(file, { force: true });
  }
}

const phases: Readonly<Record<DiskPhase, (fleet: TestFleet, fault: string, lastsMs: number) => Promise<number>>> = {
  async billing(fleet, fault, lastsMs) {
    await onFailingDisk(fleet, fault, () => sleep(lastsMs));
    return 0;
  },
  async fencing(fleet, fault, lastsMs) {
    await onFailingDisk(fleet, fault, async () => {
      await fence(fleet);
      await sleep(lastsMs);
    });
    return 0;
  },
  async adopting(fleet, fault, lastsMs) {
    const before = fleet.processes.restarts(chat);
    await onFailingDisk(fleet, fault, async () => {
      await fleet.processes.kill(chat);
      await waitFor(() => fleet.processes.restarts(chat) > before, { timeoutMs: 60_000, what: "a new process" });
      await sleep(lastsMs);
    });
    return 1;
  },
};

export interface DiskRound {
  readonly faults: readonly string[];
  readonly phases: readonly DiskPhase[];
  /** Duration of each fault. */
  readonly lastsMs: number;
  readonly random: () => number;
}

/**
 * A response whose final record the disk refused is held, and the write retried within a second. If
 * its process is killed before that, the response is lost and rightly not billed, because no client
 * received it; but the audit excuses that only if the provider had responded moments before.
 */
const heldMs = 2_000;

/**
 * Makes the disk fail in each of these ways in each of these phases, under load; afterwards
 * requests must succeed, and the books must be exact.
 */
export async function failDisk(fleet: TestFleet, round: DiskRound): Promise<Figures> {
  const { faults, lastsMs, random } = round;
  const kinds = ["json", "stream", "messages", "disconnect"] as const;
  const load = new Load({ clients: [fleet.client], kinds, concurrency, random });
  let kills = 0;
  const respond = async (what: string): Promise<void> => {
    const before = load.completed;
    await waitFor(() => load.completed >= before + 2 * concurrency, { timeoutMs: 90_000, what });
  };
  try {
    await respond("responses before the disk fails");
    for (const fault of faults) {
      for (const phase of round.phases) {
        kills += await phases[phase](fleet, fault, lastsMs);
        await respond(`responses after ${fault} while ${phase}`);
        await sleep(heldMs);
      }
    }
  } finally {
    await load.stop();
  }
  return collectFigures(fleet, { responses: load.responses, kills, waitMs: 90_000 });
}
