import assert from "node:assert/strict";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { connectMongo } from "@uag/mongo/connect";
import { Callers } from "@uag/pipeline/callers";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { newId } from "@uag/runtime/ids";
import { BufferBudget, defaultBufferLimits } from "@uag/untrusted/buffer-budget";
import { openGridFs } from "../../src/assets/gridfs.ts";
import type { BatchDocument, BatchStatus } from "../../src/batches/batch.ts";
import { BatchStore } from "../../src/batches/batch-store.ts";
import { newBatch } from "../../src/batches/new-batch.ts";
import { PartStore } from "../../src/batches/part-store.ts";
import { type Claimed, nextStep, type StepContext } from "../../src/batches/steps.ts";
import { FileStore } from "../../src/files/file-store.ts";
import { Backend } from "./backend.ts";

const mebibyte = 1024 * 1024;
const caller = Caller.fromPartial({ keyId: "key_1", accountId: "acc_1" });

/** The owner of the batches. */
export const own = { accountId: "acc_1", format: "openai" } as const;

/** A line of an input file that the backend recognizes by its number. */
export const lineOf = (n: number): string =>
  JSON.stringify({ custom_id: `line-${n}`, method: "POST", url: "/v1/chat/completions", body: { model: "m", n } });

/** A result, as it is in a file. */
export interface Result {
  readonly custom_id: string;
  readonly response: { readonly status_code: number; readonly body: { readonly n?: number } } | null;
  readonly error: { readonly code: string } | null;
}

/** Batches with the real database, a backend, and a clock and a key of the test's own. */
export async function openBatches(stack: AsyncDisposableStack) {
  const { url, database } = stack.use(scratchDatabase());
  const connection = await connectMongo({ url, database, service: "media", maxPoolSize: 8, readConcern: "majority" });
  stack.defer(() => connection.close());
  const objects = stack.use(await openGridFs({ url, database, bucket: "file_objects" }));
  const time = { ms: Date.now() };
  const key = { revoked: false };
  const lookup = { resolveKeys: async () => ({ keys: [{ caller, revoked: key.revoked }] }) };
  const now = () => time.ms;
  const files = new FileStore({ connection, objects, space: { maxBytes: 50 * mebibyte, maxFiles: 10 }, now });
  const batches = new BatchStore({ connection, maxLive: 3, now });
  const parts = new PartStore({ connection, objects, now });
  await Promise.all([files.open(), batches.open(), parts.open()]);
  const backend = new Backend();
  const lines = {
    links: { chat: backend },
    callers: new Callers(lookup, now),
    buffers: new BufferBudget(defaultBufferLimits),
    now,
    waitScale: 0,
  };
  const context: StepContext = {
    connection,
    objects,
    files,
    batches,
    parts,
    now,
    unblock: async () => 0,
    concurrency: 4,
    lines,
  };

  /** Creates a batch of these lines. */
  async function create(lines: readonly string[], more: Partial<BatchDocument> = {}): Promise<BatchDocument> {
    const content = Buffer.from(`${lines.join("\n")}\n`);
    const objectId = newId("object");
    await objects.put(objectId, "application/jsonl", [content] as never);
    const order = {
      accountId: "acc_1",
      keyId: "key_1",
      format: "openai",
      endpoint: "/v1/chat/completions",
      inputFileId: "file_1",
      input: { objectId, bytes: content.length },
      outputSeconds: 3_600,
    } as const;
    return await batches.create({ ...newBatch(order, now()), dueAt: new Date(0), ...more });
  }

  /** A claim, as a worker has it. */
  async function claim(): Promise<Claimed & { readonly stopWith: AbortController; readonly leave: AbortController }> {
    const batch = await batches.claim([]);
    assert.ok(batch, "a batch is due");
    const [stopWith, leave] = [new AbortController(), new AbortController()];
    return {
      batch,
      signal: leave.signal,
      stop: stopWith.signal,
      giveUp: new AbortController().signal,
      stopWith,
      leave,
    };
  }

  /** Does one step with a claim of its own, also where the test's clock is ahead of the database's. */
  async function step(): Promise<BatchStatus | undefined> {
    await connection.collection("batches").updateMany({ claim: "" }, { $set: { dueAt: new Date(0) } });
    return await nextStep(context, await claim());
  }

  /** Does steps until the batch has ended. */
  async function finish(): Promise<BatchStatus> {
    for (let steps = 0; steps < 30; steps++) {
      const status = await step();
      if (status !== undefined) return status;
    }
    return assert.fail("the batch has not ended after 30 steps");
  }

  async function resultsOf(id: string | undefined): Promise<Result[]> {
    if (id === undefined) return [];
    const chunks: Buffer[] = [];
    for await (const chunk of files.read(await files.find("acc_1", id))) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    assert.ok(text.endsWith("\n"));
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Result);
  }

  /** The batch's state and the results of both files; every line must have exactly one. */
  async function outcome({ _id }: BatchDocument, lines: number) {
    const batch = await batches.find(own, _id);
    const [output, errors] = [await resultsOf(batch.outputFileId), await resultsOf(batch.errorFileId)];
    const ids = [...output, ...errors].map(({ custom_id }) => Number(custom_id.slice("line-".length)));
    assert.deepEqual(
      ids.toSorted((a, b) => a - b),
      Array.from({ length: lines }, (_, n) => n),
    );
    const skipped = errors.filter(({ response }) => response === null).length;
    assert.deepEqual(batch.counts, { completed: output.length, failed: errors.length, skipped });
    assert.ok(
      [...backend.billed.values()].every((times) => times === 1),
      "no line is billed twice",
    );
    return { batch, output, errors };
  }

  /** A worker dies: its claim expires, and it writes nothing more. */
  const expire = ({ _id }: BatchDocument) =>
    connection.collection("batches").updateOne({ _id } as never, { $set: { dueAt: new Date(0) } });
  /** Revokes the key; what is cached of it expires meanwhile. */
  const revoke = (): void => {
    key.revoked = true;
    lines.callers = new Callers(lookup, now);
  };
  const stored = () => connection.collection("file_objects.files").countDocuments();
  return {
    connection,
    context,
    batches,
    files,
    parts,
    backend,
    time,
    revoke,
    create,
    claim,
    step,
    finish,
    outcome,
    expire,
    stored,
  };
}
