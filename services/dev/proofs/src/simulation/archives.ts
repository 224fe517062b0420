import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { type Archivers, type ArchiveWorld, leaseMs } from "./archivers.ts";
import { clockError } from "./clock-error.ts";
import { LedgerArchive } from "./ledger-archive.ts";
import { UsageArchive } from "./usage-archive.ts";

/** Enough steps to archive a month of each several times. */
const steps = 100;

/** The archives of usage and of the ledger. */
export class Archives {
  readonly usage: UsageArchive;
  readonly ledger: LedgerArchive;
  readonly #random: (below: number) => number;

  constructor(world: ArchiveWorld, entries: readonly Entry[]) {
    this.#random = world.random;
    this.usage = new UsageArchive(world);
    this.ledger = new LedgerArchive(world, entries);
  }

  get #all(): [Archivers, Archivers] {
    return [this.usage.archivers, this.ledger.archivers];
  }

  /** The first violation of an archiver. */
  get fault(): unknown {
    return this.#all.find(({ fault }) => fault !== undefined)?.fault;
  }

  /**
   * Archives closed months while archivers are killed, are paused and have wrong clocks; then the
   * rest, without faults.
   * @param pass lets milliseconds pass
   */
  async archiveAll(pass: (ms: number) => void): Promise<void> {
    const random = this.#random;
    for (let step = 0; step < steps; step++) {
      pass(random(300));
      const archivers = this.#all[random(2)] as Archivers;
      const what = random(40);
      if (what === 0) archivers.kill();
      else if (what === 1) archivers.jump(clockError(random));
      else if (what < 5) archivers.pause(random(6_000));
      else await archivers.step();
    }
    // Lets the lease of a killed process expire.
    pass(leaseMs + 1);
    for (const archivers of this.#all) await archivers.finish();
  }

  /** Compares both with metering's counts and with the ledger, when all months are closed. */
  check(counted: ReadonlyMap<string, bigint>): void {
    this.usage.check(counted);
    this.ledger.check();
  }
}
