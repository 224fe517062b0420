import { isDeepStrictEqual } from "node:util";
import { collectionOf } from "@uag/mongo/collection";
import type { Connection } from "mongoose";
import type { Cell, DayResult } from "./result.ts";

/** The last comparison of a day. */
interface ReconciliationDocument extends DayResult {
  /** `openai 2026-11-24` */
  readonly _id: string;
  /** When it was compared. */
  readonly at: Date;
  /** How often the provider has changed its figures of the day since they were first read. */
  readonly revisions: number;
}

export interface ReconciliationStore {
  save(results: readonly DayResult[], at: Date): Promise<void>;
  /** The stored days of a provider from this one on, oldest first. */
  since(provider: string, day: string): Promise<ReconciliationDocument[]>;
}

const theirsOf = (cells: readonly Cell[]): Record<string, string> =>
  Object.fromEntries(
    cells.flatMap(({ model, unit, theirs }) => (theirs ? [[`${model}\n${unit}`, String(theirs)]] : [])),
  );

/** Stores one document for each provider and day; a later comparison replaces it. */
export function reconciliationStore(connection: Connection): ReconciliationStore {
  const documents = collectionOf<ReconciliationDocument>(connection, "reconciliations");
  return {
    async save(results, at) {
      for (const result of results) {
        const Id = `${result.provider} ${result.day}`;
        const known = await documents.findOne({ _id: Id });
        const comparable = known !== null && known.state !== "unreadable" && result.state !== "unreadable";
        const revised = comparable && !isDeepStrictEqual(theirsOf(known.cells), theirsOf(result.cells));
        const revisions = (known?.revisions ?? 0) + (revised ? 1 : 0);
        await documents.replaceOne({ _id: Id }, { ...result, at, revisions }, { upsert: true });
      }
    },
    since: (provider, day) =>
      documents
        .find({ _id: { $gte: `${provider} ${day}`, $lt: `${provider} :` } })
        .sort({ _id: 1 })
        .toArray(),
  };
}
