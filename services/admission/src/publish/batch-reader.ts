import { partitionOf } from "@uag/contract/messages/usage-subjects.ts";
import type { Journal, Position } from "@uag/journal/journal.ts";
import { accountOfFinal, encodeBatch, isFinal } from "../records.ts";
import type { Batch } from "./unconfirmed.ts";

/** Bounds of one batch, which is one message. */
const maxEvents = 256;
const maxBytes = 512 * 1024;
/** Bounds of all batches read at once. */
const maxConcurrentEvents = 4_096;
const maxConcurrentBytes = 4 * 1024 * 1024;

const unpublished = { published: 0, dueAt: 0, sequence: 0n, publishedAt: 0 };
const same = (a: Position, b: Position): boolean => a.segment === b.segment && a.offset === b.offset;

/** Finals of one partition. */
class Finals {
  readonly records: Uint8Array[] = [];
  bytes = 0;

  add(record: Uint8Array): void {
    this.records.push(record);
    this.bytes += record.length;
  }

  get full(): boolean {
    return this.records.length >= maxEvents || this.bytes >= maxBytes;
  }
}

/**
 * Reads finals starting at `from`, until those of one partition fill a message or their total
 * reaches the bound, and makes one batch per partition.
 * @returns undefined when there is nothing to read
 */
export async function readBatches(
  journal: Pick<Journal, "read">,
  from: Position,
  names: { readonly newId: () => string; readonly holderId: string },
): Promise<{ batches: Batch[]; next: Position } | undefined> {
  const all = new Finals();
  const parts = new Map<number, Finals>();
  const next = await journal.read(from, (record) => {
    if (!isFinal(record)) return true;
    const partition = partitionOf(accountOfFinal(record));
    const part = parts.get(partition) ?? new Finals();
    parts.set(partition, part);
    part.add(record);
    all.add(record);
    return !part.full && all.records.length < maxConcurrentEvents && all.bytes < maxConcurrentBytes;
  });
  if (same(next, from)) return undefined;
  const batches = [...parts].map(([partition, { records }]): Batch => {
    const id = names.newId();
    const payload = encodeBatch(id, names.holderId, records);
    return { id, partition, from, to: next, events: records.length, payload, ...unpublished };
  });
  return { batches, next };
}

/** Reads a batch's message from the journal again. */
export async function readBatch(journal: Pick<Journal, "read">, batch: Batch, holderId: string): Promise<Uint8Array> {
  const finals: Uint8Array[] = [];
  const { segment, offset } = batch.to;
  let at = batch.from;
  while (!same(at, batch.to)) {
    const next = await journal.read(at, (record, end) => {
      if (isFinal(record) && partitionOf(accountOfFinal(record)) === batch.partition) finals.push(record);
      return !(end.segment === segment && end.offset >= offset);
    });
    if (same(next, at) || next.segment > segment) break;
    at = next;
  }
  return encodeBatch(batch.id, holderId, finals);
}
