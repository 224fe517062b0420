import { randomBytes } from "node:crypto";
import { batchBounds } from "@uag/contract/requests/batches";
import { newId } from "@uag/runtime/ids";
import type { BatchDocument } from "./batch.ts";

const windowMs = batchBounds.hours * 3_600_000;
const secretBytes = 32;

/** What a batch is created with. */
export type BatchOrder = Pick<
  BatchDocument,
  | "accountId"
  | "keyId"
  | "format"
  | "betas"
  | "idempotencyKey"
  | "endpoint"
  | "inputFileId"
  | "input"
  | "metadata"
  | "outputSeconds"
>;

/** A batch whose file is to be validated. */
export function newBatch(order: BatchOrder, now: number): BatchDocument {
  return {
    _id: newId("batch"),
    ...order,
    secret: randomBytes(secretBytes),
    status: "validating",
    stage: "validate",
    live: true,
    createdAt: new Date(now),
    expiresAt: new Date(now + windowMs),
    at: {},
    dueAt: new Date(now),
    claim: "",
    total: 0,
    counts: { completed: 0, failed: 0, skipped: 0 },
    next: { offset: 0, line: 1 },
    begun: false,
    parts: [],
  };
}
