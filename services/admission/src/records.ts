import { type Checkpoint, JournalRecord } from "@uag/proto/metering/v1/journal.ts";
import { UsageBatch, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { EventEncoder } from "./event-encoder.ts";

/** Fields 1 and 3, length-delimited: `JournalRecord.started` and `.final`; the latter is `UsageBatch.events` as well. */
const startedTag = 0x0a;
const finalTag = 0x1a;

const encoder = new EventEncoder();

export const encodeStarted = (event: UsageEvent): Uint8Array => encoder.encode(startedTag, event);

export const encodeCheckpoint = (checkpoint: Checkpoint): Uint8Array =>
  JournalRecord.encode({ kind: { $case: "checkpoint", value: checkpoint } }).finish();

export const encodeFinal = (event: UsageEvent): Uint8Array => encoder.encode(finalTag, event);

export const decodeRecord = (record: Uint8Array): JournalRecord => JournalRecord.decode(record);

export function isFinal(record: Uint8Array): boolean {
  return record[0] === finalTag;
}

/**
 * A `UsageBatch` of journal records that are finals. A record is, byte for byte, an element of the batch's `events`
 * (same field number, same type), so nothing is decoded or encoded anew.
 */
export function encodeBatch(batchId: string, holderId: string, finals: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([UsageBatch.encode({ batchId, holderId, events: [] }).finish(), ...finals]);
}
