import type { LedgerMonthDocument, LedgerPartDocument } from "@uag/ledger/documents/ledger-months";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { agree, createTally, lineOf, readFile } from "@uag/runtime/archive/file";
import { noArchiveStore } from "@uag/runtime/archive/settings";
import type { ObjectStore } from "@uag/runtime/objects/store";
import type { LedgerArchive } from "./archive.ts";
import { entryFormat, readRange } from "./rows.ts";

const noLease = async (): Promise<void> => undefined;

/** Finds the first row in which a file and the ledger differ. */
function createComparison(ledger: AsyncGenerator<Entry>) {
  let different: string | undefined;
  const next = async (): Promise<Entry | undefined> => {
    const { done, value } = await ledger.next();
    return done ? undefined : value;
  };
  return {
    async row(line: string, { id }: Entry): Promise<void> {
      if (different !== undefined) return;
      const stored = await next();
      if (stored === undefined) different = `row ${id} is missing in the ledger`;
      else if (lineOf(entryFormat, stored) === line) return;
      else if (stored.id === id) different = `row ${id} differs in the ledger`;
      else different = `in place of row ${id} the ledger has ${stored.id}`;
    },
    async end(): Promise<string | undefined> {
      const left = different === undefined ? await next() : undefined;
      return left === undefined ? different : `row ${left.id} of the ledger is missing`;
    },
  };
}

/** Reads one file; returns a sentence for each fault. */
async function verifyPart(objects: ObjectStore, part: LedgerPartDocument, rows: AsyncGenerator<Entry>) {
  const { key, sha256, amounts } = part;
  const tally = createTally(entryFormat);
  const comparison = createComparison(rows);
  try {
    for await (const { line, row } of readFile(objects, { key, format: entryFormat })) {
      tally.add(line, row);
      await comparison.row(line, row);
    }
  } catch (error) {
    return [`reading ${key} failed: ${error}`];
  }
  const found = tally.content();
  const isIntact = found.sha256 === sha256 && agree(found, { rows: Number(part.rows), amounts });
  const different = await comparison.end();
  return [
    ...(isIntact ? [] : [`${key} differs from the archived file.`]),
    ...(different === undefined ? [] : [`${key}: ${different}.`]),
  ];
}

/**
 * Reads a month's files back; returns a sentence for each that differs from what was archived or
 * from the ledger, and one if the ledger has rows that are in no file.
 */
export async function verifyMonth(
  { store, objects }: LedgerArchive,
  month: LedgerMonthDocument,
): Promise<{ rows: bigint; faults: string[] }> {
  if (objects === undefined) return { rows: 0n, faults: [noArchiveStore] };
  const faults: string[] = [];
  let rows = 0n;
  let after: LedgerPartDocument["last"] | undefined;
  for (const part of month.parts) {
    const range = { month, after, last: part.last };
    const found = await verifyPart(objects, part, readRange(store, range, noLease));
    if (found.length === 0) rows += part.rows;
    faults.push(...found);
    after = part.last;
  }
  if (month.archivedAt === null) return { rows, faults };
  const { value: late } = await readRange(store, { month, after }, noLease).next();
  if (late !== undefined) faults.push(`row ${late.id} of the ledger is in no file of ${month._id}.`);
  return { rows, faults };
}
