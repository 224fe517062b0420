import { createHash } from "node:crypto";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { mongo } from "mongoose";
import type { Store } from "../store/store.ts";
import type { RefusedEvent } from "./decode.ts";

export interface DeadLetter extends RefusedEvent {
  readonly batchId: string;
}

/** Stores events that cannot be applied, each once, until an operator repairs them. */
export async function deadLetter(
  store: Store,
  dead: readonly DeadLetter[],
  { session, at: buriedAt }: { readonly session: mongo.ClientSession; readonly at: Date },
): Promise<void> {
  if (dead.length === 0) return;
  const writes = dead.map(({ event, reason, batchId }) => {
    const bytes = Buffer.from(UsageEvent.encode(event).finish());
    const id = createHash("sha256").update(bytes).digest("hex");
    const { accountId, requestId } = event;
    const document = { accountId, requestId, batchId, reason, event: bytes, buriedAt };
    return { updateOne: { filter: { _id: id }, update: { $setOnInsert: document }, upsert: true } };
  });
  await store.deadLetters.bulkWrite(writes, { session });
}
