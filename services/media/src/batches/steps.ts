import type { ObjectStore } from "@uag/runtime/objects/store";
import { type AssembleContext, assemble } from "./assemble.ts";
import { type BatchDocument, type BatchStatus, endingOf, type Part, type Position } from "./batch.ts";
import type { BatchUpdate } from "./batch-store.ts";
import { type CheckedInput, checkInput } from "./check-input.ts";
import { maxLineBytesOf } from "./endpoints.ts";
import { type Line, linesOf } from "./lines.ts";
import type { LineContext } from "./send-line.ts";
import { readSlice, runSlice, skipRest } from "./slice.ts";

/** What the steps of a batch work with. */
export interface StepContext extends AssembleContext {
  readonly objects: ObjectStore;
  readonly lines: LineContext;
  /** Lines of a batch in flight at a time. */
  readonly concurrency: number;
}

/** A batch that this worker has claimed. */
export interface Claimed {
  readonly batch: BatchDocument;
  /** Aborts when this worker must leave the batch. */
  readonly signal: AbortSignal;
  /** Aborts with an `Ending` when no further line is to be sent. */
  readonly stop: AbortSignal;
  /** The same, some time later. */
  readonly giveUp: AbortSignal;
}

/**
 * Does the next step of a batch and commits it.
 * @returns the status that the batch ended with, if it did
 * @throws what interrupted the step: nothing of it counts
 */
export async function nextStep(context: StepContext, claimed: Claimed): Promise<BatchStatus | undefined> {
  const { batch } = claimed;
  if (batch.stage === "assemble") return await assemble(context, batch);
  const lines = await inputOf(context.objects, batch);
  if (lines === undefined) return await loseInput(context, batch);
  if (batch.stage === "validate") return await validate(context, batch, lines);
  const ending = endingOf(batch, context.now());
  if (ending !== undefined && !batch.begun) {
    const skipped = await skipRest(lines, { ...context, ...claimed }, ending);
    await context.batches.commit(batch, advanced(context.now(), { ...skipped, ending, next: undefined }));
    return undefined;
  }
  using lease = context.lines.buffers.open(batch.accountId);
  const slice = await readSlice(lines, (bytes) => lease.grow(bytes, claimed.signal));
  if (!(await context.batches.begin(batch))) return undefined;
  const result = await runSlice(slice, { ...context, ...claimed, context: context.lines });
  await context.batches.commit(batch, advanced(context.now(), { ...result, next: slice.next }));
  return undefined;
}

interface Advance {
  readonly parts: readonly Part[];
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly ending: BatchDocument["ending"];
  readonly next: Position | undefined;
}

const finalizing = { stage: "assemble", status: "finalizing" };

/** The change that a slice makes: its results, and the next step. */
function advanced(now: number, advance: Advance): BatchUpdate {
  const { parts, completed, failed, skipped, ending, next } = advance;
  return {
    $set: {
      ...(ending !== undefined && { ending }),
      ...(next === undefined ? { ...finalizing, "at.finalizing": new Date(now) } : { next }),
    },
    $inc: { "counts.completed": completed, "counts.failed": failed, "counts.skipped": skipped },
    $push: { parts: { $each: [...parts] } },
  } as BatchUpdate;
}

/** The rest of the input file's lines; undefined when it was deleted. */
async function inputOf(
  objects: ObjectStore,
  { input, next, endpoint }: BatchDocument,
): Promise<AsyncIterable<Line> | undefined> {
  const maxBytes = maxLineBytesOf(endpoint);
  if (next.offset >= input.bytes) return linesOf((async function* () {})(), { ...next, maxBytes });
  const object = await objects.find(input.objectId);
  if (object === undefined) return undefined;
  const bytes = (await object.read({ start: next.offset, end: input.bytes - 1 })) as AsyncIterable<Buffer>;
  return linesOf(bytes, { ...next, maxBytes });
}

const inputLost = "The input file was deleted before the batch had ended. The requests without a result were not run.";

/** Ends a batch whose input file is gone, with the results it has. */
async function loseInput(context: StepContext, batch: BatchDocument): Promise<undefined> {
  const ending = { status: "failed", code: "input_file_deleted", message: inputLost } as const;
  const failed = batch.total - batch.counts.completed - batch.counts.failed;
  const lost = { parts: [], completed: 0, failed, skipped: failed, ending, next: undefined };
  await context.batches.commit(batch, advanced(context.now(), lost));
}

async function validate(
  { batches, now }: StepContext,
  batch: BatchDocument,
  lines: AsyncIterable<Line>,
): Promise<BatchStatus | undefined> {
  const checked = await checkInput(lines, batch.endpoint);
  const at = new Date(now());
  const isValid = checked.errors.length === 0;
  const committed = await batches.commit(batch, { $set: isValid ? started(checked, at) : failed(checked, at) });
  return committed && !isValid ? "failed" : undefined;
}

function started({ total, model }: CheckedInput, at: Date) {
  const running = { stage: "run" as const, status: "in_progress" as const, "at.in_progress": at };
  return { ...running, total, ...(model !== undefined && { model }) };
}

function failed({ errors }: CheckedInput, at: Date) {
  return { stage: "ended" as const, live: false, status: "failed" as const, errors, endedAt: at, "at.failed": at };
}
