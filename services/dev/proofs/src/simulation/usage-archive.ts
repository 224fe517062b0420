import assert from "node:assert/strict";
import { archiveDue } from "@uag/metering/archive/archive";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { ArchiveFiles } from "./archive-files.ts";
import { Archivers, type ArchiveWorld } from "./archivers.ts";
import { epochMs } from "./epoch.ts";
import { duplicate, EventMonths, renamed } from "./event-months.ts";

/** The archive of usage: a month's events are dropped once they are in a file. */
export class UsageArchive {
  readonly months: EventMonths;
  readonly archivers: Archivers;
  readonly #files = new ArchiveFiles();

  constructor(world: ArchiveWorld) {
    this.months = new EventMonths(() => world.now() + epochMs);
    const events = { archived: () => undefined } as never;
    this.archivers = new Archivers({
      ...world,
      lost: new RegExp(`would be empty|differs from the database|${duplicate}|${renamed}`),
      archive: ({ clock, gate, keep }) => {
        const store = this.months.storeOf(gate) as never;
        return archiveDue({ store, objects: this.#files.storeOf(gate), keepMonths: 0, clock, events }, keep);
      },
    });
  }

  /** The number of files that are recorded. */
  get files(): number {
    return [...this.months.recorded.values()].reduce((sum, parts) => sum + parts.length, 0);
  }

  /** Compares files and rows with the events that metering counted, by request. */
  check(counted: ReadonlyMap<string, bigint>): void {
    const found = new Map<string, bigint>();
    for (const parts of this.months.recorded.values())
      for (const { key } of parts)
        for (const { requestId, costNanoUsd } of this.#files.rows(key, UsageEvent.fromJSON)) {
          assert.ok(!found.has(requestId), `${requestId} is archived twice`);
          found.set(requestId, costNanoUsd);
        }
    assert.deepEqual([...this.months.left()], [], "all events of past months are archived");
    assert.deepEqual(sorted(found), sorted(counted), "the archive contains what metering counted");
  }
}

const sorted = (costs: ReadonlyMap<string, bigint>): [string, bigint][] =>
  [...costs].sort(([one], [other]) => (one < other ? -1 : 1));
