import type { Journal, Position } from "@uag/kit/journal/journal.ts";
import { encodeBatch, isFinal } from "../records.ts";
import type { Batch } from "./unconfirmed.ts";

const mostEvents = 256;
const mostBytes = 512 * 1024;

const same = (a: Position, b: Position): boolean => a.segment === b.segment && a.offset === b.offset;

/** Reads the finals from `from` on, as many as fit one message. @returns undefined when there is nothing to read */
export async function cutBatch(
  journal: Pick<Journal, "read">,
  from: Position,
  names: { id: string; holderId: string },
): Promise<{ batch: Batch | undefined; next: Position } | undefined> {
  const finals: Uint8Array[] = [];
  let bytes = 0;
  const next = await journal.read(from, (record) => {
    if (isFinal(record)) {
      finals.push(record);
      bytes += record.length;
    }
    return finals.length < mostEvents && bytes < mostBytes;
  });
  if (same(next, from)) return undefined;
  if (finals.length === 0) return { batch: undefined, next };
  const payload = encodeBatch(names.id, names.holderId, finals);
  return { next, batch: { id: names.id, from, to: next, events: finals.length, payload, published: 0, dueAt: 0 } };
}

/** Reads a batch's message from the journal again. */
export async function readBatch(journal: Journal, batch: Batch, holderId: string): Promise<Uint8Array> {
  const finals: Uint8Array[] = [];
  const { segment, offset } = batch.to;
  let at = batch.from;
  while (!same(at, batch.to)) {
    const next = await journal.read(at, (record, end) => {
      if (isFinal(record)) finals.push(record);
      return !(end.segment === segment && end.offset >= offset);
    });
    if (same(next, at) || next.segment > segment) break;
    at = next;
  }
  return encodeBatch(batch.id, holderId, finals);
}
