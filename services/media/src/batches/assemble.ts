import { inTransaction } from "@uag/mongo/transaction";
import { newId } from "@uag/runtime/ids";
import type { Connection } from "mongoose";
import type { FileStore } from "../files/file-store.ts";
import type { BatchDocument, BatchStatus, PartKind } from "./batch.ts";
import type { BatchStore, BatchUpdate } from "./batch-store.ts";
import type { PartStore } from "./part-store.ts";

/** What results are assembled with. */
export interface AssembleContext {
  readonly connection: Connection;
  readonly batches: BatchStore;
  readonly parts: PartStore;
  readonly files: FileStore;
  /** Aborts transactions of dead processes. */
  readonly unblock: () => Promise<unknown>;
  /** The database's time, Unix milliseconds. */
  readonly now: () => number;
}

/** Of the two result files. */
type FileIds = Readonly<Record<PartKind, string>>;

interface Assembled {
  readonly id: string;
  readonly bytes: number;
  readonly expiresAt: Date;
}

/** A file that is not complete by then is removed. */
const assemblyMs = 6 * 3_600_000;
const names = { output: "output", errors: "error" } as const;

/**
 * Makes the result files from the parts, and ends the batch. The files exist for their owner from
 * the same moment on, so that repeating this after a crash leaves one of each.
 * @returns the status that it ended with; undefined when another worker has the batch
 */
export async function assemble(context: AssembleContext, batch: BatchDocument): Promise<BatchStatus | undefined> {
  const ids: FileIds = { output: newId("file"), errors: newId("file") };
  let status: BatchStatus | undefined;
  try {
    status = await assembleAs(ids, context, batch);
  } finally {
    // They count toward the account's space. What cannot be removed now, the sweeper removes.
    if (status === undefined)
      await Promise.all(Object.values(ids).map((id) => context.files.discard(id).catch(() => undefined)));
  }
  return status;
}

async function assembleAs(
  ids: FileIds,
  context: AssembleContext,
  batch: BatchDocument,
): Promise<BatchStatus | undefined> {
  const output = await assembleOne(ids, "output", { ...context, batch });
  const errors = await assembleOne(ids, "errors", { ...context, batch });
  const { ending } = batch;
  const status: BatchStatus = ending?.status ?? (batch.at.cancelling === undefined ? "completed" : "cancelled");
  const endedAt = new Date(context.now());
  const set: BatchUpdate["$set"] = {
    stage: "ended",
    live: false,
    status,
    endedAt,
    [`at.${status}`]: endedAt,
    parts: [],
    ...(output !== undefined && { outputFileId: output.id }),
    ...(errors !== undefined && { errorFileId: errors.id }),
    ...(ending?.status === "failed" && {
      errors: [{ code: ending.code, message: ending.message, param: null, line: ending.line ?? null }],
    }),
  };
  const { connection, unblock, batches, files } = context;
  const committed = await inTransaction({ connection, unblock }, async (session) => {
    if (!(await batches.commit(batch, { $set: set }, session))) return false;
    for (const { id, ...file } of [output, errors].filter((one) => one !== undefined))
      await files.complete(id, { ...file, purpose: "batch_output" }, session);
    return true;
  });
  if (committed) await context.parts.discard(batch._id);
  return committed ? status : undefined;
}

async function assembleOne(
  ids: FileIds,
  kind: PartKind,
  { files, parts, now, batch }: AssembleContext & { readonly batch: BatchDocument },
): Promise<Assembled | undefined> {
  const own = batch.parts.filter((part) => part.kind === kind);
  if (own.length === 0) return undefined;
  const { accountId, keyId, outputSeconds } = batch;
  const created = now();
  const file = { _id: ids[kind], objectId: newId("object") };
  await files.insert({
    ...file,
    accountId,
    keyId,
    filename: `${batch._id}_${names[kind]}.jsonl`,
    purpose: "batch_output",
    bytes: own.reduce((sum, part) => sum + part.bytes, 0),
    state: "uploading",
    createdAt: new Date(created),
    removeAt: new Date(created + assemblyMs),
  });
  const bytes = await files.objects.put(file.objectId, "application/octet-stream", parts.read(own));
  return { id: file._id, bytes, expiresAt: new Date(created + outputSeconds * 1_000) };
}
