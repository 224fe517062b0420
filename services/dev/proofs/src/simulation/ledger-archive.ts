import assert from "node:assert/strict";
import { archiveDue } from "@uag/billing/archive/archive";
import { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { ArchiveFiles } from "./archive-files.ts";
import { Archivers, type ArchiveWorld } from "./archivers.ts";
import { LedgerMonths } from "./ledger-months.ts";

/** Fewer than a world's rows, so that a month has several files. */
const rowsAPart = 40;

/** The archive of the ledger: copies of a closed month's rows in files. */
export class LedgerArchive {
  readonly archivers: Archivers;
  readonly #months: LedgerMonths;
  readonly #files = new ArchiveFiles();
  readonly #entries: readonly Entry[];

  constructor(world: ArchiveWorld, entries: readonly Entry[]) {
    this.#entries = entries;
    this.#months = new LedgerMonths(entries, world.databaseNow);
    const events = { ledgerArchived: () => undefined, ledgerArchiveFailed: () => undefined };
    this.archivers = new Archivers({
      ...world,
      lost: /another process has archived rows/,
      archive: ({ clock, gate, keep }) => {
        const store = this.#months.storeOf(gate) as never;
        return archiveDue({ store, objects: this.#files.storeOf(gate), clock, events, rowsAPart }, keep);
      },
    });
  }

  /** The number of files that are recorded. */
  get files(): number {
    return [...this.#months.recorded].reduce((sum, { parts }) => sum + parts.length, 0);
  }

  /** Compares the files, in order, with every row of the ledger, when all its months are closed. */
  check(): void {
    const months = [...this.#months.recorded].sort((one, other) => (one._id < other._id ? -1 : 1));
    const keys = months.flatMap(({ parts }) => parts.map(({ key }) => key));
    const found = keys.flatMap((key) => this.#files.rows(key, Entry.fromJSON));
    assert.deepEqual(
      found.map(({ id }) => id),
      this.#entries.map(({ id }) => id),
      "the ledger's files contain each row once, in order",
    );
    assert.deepEqual(found.map(Entry.toJSON), this.#entries.map(Entry.toJSON), "the files contain the ledger's rows");
    for (const { _id, archivedAt } of months) assert.notEqual(archivedAt, null, `${_id} is not archived`);
  }
}
