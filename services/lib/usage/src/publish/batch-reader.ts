import { partitionOf } from "@uag/contract/messages/usage-subjects";
import type { Journal, Position } from "../journal/journal.ts";
import { accountOfFinal, encodeBatch, isFinal } from "../records.ts";
import type { Batch } from "./unconfirmed.ts";

/** Bounds of one batch, which is one message. */
const maxEvents = 256;
const maxBytes = 512 * 1024;
/** Bounds of all batches read at once. */
const maxConcurrentEvents = 16_384;
const maxConcurrentBytes = 4 * 1024 * 1024;

const unpublished = { published: 0, dueAt: 0, sequence: 0n, publishedAt: 0 };
const same = (a: Position, b: Position): boolean => a.segment === b.segment && a.offset === b.offset;

/** Finals of one partition, read from `from` on. */
class Finals {
  readonly from: Position;
  readonly records: Uint8Array[] = [];
  bytes = 0;

  constructor(from: Position) {
    this.from = from;
  }

  add(record: Uint8Array): void {
    this.records.push(record);
    this.bytes += record.length;
  }

  get full(): boolean {
    return this.records.length >= maxEvents || this.bytes >= maxBytes;
  }
}

/**
 * Reads finals starting at `from`, until their total reaches the bound, and makes batches of one
 * partition each.
 * @returns undefined when no final is left to read
 */
export async function readBatches(
  journal: Pick<Journal, "read">,
  from: Position,
  names: { readonly newId: () => string; readonly holderId: string },
): Promise<{ batches: Batch[]; next: Position } | undefined> {
  const batches: Batch[] = [];
  const parts = new Map<number, Finals>();
  const starts = new Map<number, Position>();
  let [events, bytes] = [0, 0];
  const addBatch = (partition: number, part: Finals, to: Position): void => {
    const id = names.newId();
    const payload = encodeBatch(id, names.holderId, part.records);
    batches.push({ id, partition, from: part.from, to, events: part.records.length, payload, ...unpublished });
    parts.delete(partition);
    starts.set(partition, to);
  };
  const isFull = (): boolean => events >= maxConcurrentEvents || bytes >= maxConcurrentBytes;
  const visit = (record: Uint8Array, end: Position): boolean => {
    if (!isFinal(record)) return true;
    const partition = partitionOf(accountOfFinal(record));
    const part = parts.get(partition) ?? new Finals(starts.get(partition) ?? from);
    parts.set(partition, part);
    part.add(record);
    if (part.full) addBatch(partition, part, end);
    events++;
    bytes += record.length;
    return !isFull();
  };
  // A call reads a part of one segment.
  let next = from;
  for (let at = await journal.read(from, visit); !same(at, next); at = isFull() ? at : await journal.read(at, visit))
    next = at;
  if (same(next, from)) return undefined;
  for (const [partition, part] of parts) addBatch(partition, part, next);
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
