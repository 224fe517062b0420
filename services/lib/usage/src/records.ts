import { type Checkpoint, JournalRecord } from "@uag/proto/metering/v1/journal.ts";
import { UsageBatch, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { EventEncoder } from "./event-encoder.ts";

/**
 * Fields 1 and 3, length-delimited: `JournalRecord.started` and `.final`; the latter equals
 * `UsageBatch.events`.
 */
const startedTag = 0x0a;
const finalTag = 0x1a;

const encoder = new EventEncoder();

/** The journal record of a request's start: `JournalRecord.started`. */
export const encodeStarted = (event: UsageEvent): Uint8Array => encoder.encode(startedTag, event);

/** The journal record of a checkpoint: `JournalRecord.checkpoint`. */
export const encodeCheckpoint = (checkpoint: Checkpoint): Uint8Array =>
  JournalRecord.encode({ kind: { $case: "checkpoint", value: checkpoint } }).finish();

/**
 * Far below the NATS message limit (`max_payload`, 1 MiB by default), whatever else a batch holds.
 */
const maxFinalBytes = 128 * 1024;
const tooLarge = Buffer.from('{"left_out":"too large"}');

/**
 * The journal record of a final. An upstream's usage object may be of any size; a final too large
 * for a message could never be published, so that object is left out.
 */
export function encodeFinal(event: UsageEvent): Uint8Array {
  const final = encoder.encode(finalTag, event);
  return final.length <= maxFinalBytes ? final : encoder.encode(finalTag, { ...event, rawUsage: tooLarge });
}

/**
 * Decodes a journal record of any kind.
 * @throws {Error} for bytes that are not a record
 */
export const decodeRecord = (record: Uint8Array): JournalRecord => JournalRecord.decode(record);

/** True for a `final` record; decodes nothing else. */
export function isFinal(record: Uint8Array): boolean {
  return record[0] === finalTag;
}

/** `UsageEvent.request_id` and `.account_id`, its first two fields. */
const requestIdTag = 0x0a;
const accountIdTag = 0x12;

/** The account of a final; decodes nothing beyond it. */
export function accountOfFinal(record: Uint8Array): string {
  let at = 1;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = record[at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    return value;
  };
  varint();
  for (let tag = record[at]; tag === requestIdTag || tag === accountIdTag; tag = record[at]) {
    at++;
    const length = varint();
    if (tag === accountIdTag) return Buffer.from(record.subarray(at, at + length)).toString();
    at += length;
  }
  return "";
}

/**
 * A `UsageBatch` of journal records that are finals. Each record is, byte for byte, an element of
 * the batch's `events` (same field number and type), so nothing is decoded or encoded again.
 */
export function encodeBatch(batchId: string, holderId: string, finals: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([UsageBatch.encode({ batchId, holderId, events: [] }).finish(), ...finals]);
}
