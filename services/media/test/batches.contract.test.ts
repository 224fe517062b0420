import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { startOperations } from "@uag/harness/start-operations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { newId } from "@uag/runtime/ids";
import { createLogger } from "@uag/runtime/log";
import { endingOf, statusOf } from "../src/batches/batch.ts";
import { batchOperations } from "../src/batches/operations.ts";
import { nextStep } from "../src/batches/steps.ts";
import { BatchWorker } from "../src/batches/worker.ts";
import { operations } from "../src/operations.ts";
import { lineOf, openBatches, own } from "./batches/support.ts";
import { catalog } from "./support.ts";

const lines = (count: number): string[] => Array.from({ length: count }, (_, n) => lineOf(n));
const used = { status: 402, body: { error: { code: "insufficient_balance", message: "The balance is used up." } } };

test("every line of a batch of several slices has one result and one bill, and its parts are removed", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, create, finish, outcome, parts, time, stored } = await openBatches(stack);
  const batch = await create(lines(250));
  backend.respond = ({ n }) =>
    n % 10 === 3 ? { status: 400, body: { error: { code: "invalid_request" } } } : { status: 200, body: { n } };
  assert.equal(await finish(), "completed");
  const { output, errors, batch: ended } = await outcome(batch, 250);
  assert.deepEqual([ended.status, ended.total, output.length, errors.length], ["completed", 250, 225, 25]);
  for (const { response, custom_id } of output) assert.equal(`line-${response?.body.n}`, custom_id);
  for (const { response, error } of errors) assert.deepEqual([response?.status_code, error], [400, null]);
  time.ms += 3_600_000;
  await parts.sweep();
  assert.equal(await stored(), 3, "the input and the two result files");
});

test("workers run batches of several accounts side by side, and one that stops leaves its step to another", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, batches, context, create } = await openBatches(stack);
  const ids = await Promise.all(
    ["acc_1", "acc_2", "acc_3"].map(
      async (accountId) => [accountId, (await create(lines(130), { accountId }))._id] as const,
    ),
  );
  const ended: string[] = [];
  const events = { created: () => {}, ended: ({ _id }: { _id: string }) => void ended.push(_id) };
  const log = createLogger({ service: "test", level: "silent" });
  const open = () => new BatchWorker({ context, atOnce: 2, keptMs: 60_000, events, log });
  const first = open();
  await waitFor(() => backend.billed.size > 20, { what: "some lines to run" });
  await first[Symbol.asyncDispose]();
  await using second = open();
  second.wake();
  await waitFor(() => ended.length === 3, { what: "all batches to end" });
  for (const [accountId, id] of ids)
    assert.deepEqual((await batches.find({ accountId, format: "openai" }, id)).counts, {
      completed: 130,
      failed: 0,
      skipped: 0,
    });
});

test("two workers never both commit a slice, and a line that both send is billed once", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, context, create, claim, step, finish, outcome, expire } = await openBatches(stack);
  const batch = await create(lines(120));
  await step();
  const held = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  backend.respond = async ({ n }) => {
    if (n === 5) {
      sent.resolve();
      await held.promise;
    }
    return { status: 200, body: { n } };
  };
  const first = nextStep(context, await claim());
  await sent.promise;
  await expire(batch);
  backend.respond = ({ n }) => ({ status: 200, body: { n } });
  const second = nextStep(context, await claim());
  assert.equal(await second, undefined);
  held.resolve();
  await first;
  assert.equal(await finish(), "completed");
  assert.equal((await outcome(batch, 120)).output.length, 120);
});

test("a slice whose worker died is repeated: what was billed is replayed, with the billed request's id", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, context, create, claim, step, finish, outcome } = await openBatches(stack);
  const batch = await create(lines(30));
  await step();
  const claimed = await claim();
  backend.respond = ({ n }) => {
    if (n === 20) claimed.leave.abort(new Error("the process is stopping"));
    return { status: 200, body: { n } };
  };
  await assert.rejects(nextStep(context, claimed), /the process is stopping/);
  assert.ok(backend.billed.size >= 16);
  await context.batches.release(claimed.batch, 0);
  assert.equal(await finish(), "completed");
  assert.equal((await outcome(batch, 30)).output.length, 30);
});

test("a slice is not repeated once the responses of its lines are no longer stored", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, context, create, claim, step, outcome, time } = await openBatches(stack);
  const batch = await create(lines(20));
  await step();
  const claimed = await claim();
  backend.respond = ({ n }) => {
    if (n === 10) claimed.leave.abort(new Error("killed"));
    return { status: 200, body: { n } };
  };
  await assert.rejects(nextStep(context, claimed), /killed/);
  await context.batches.release(claimed.batch, 0);
  const billed = backend.billed.size;
  assert.ok(billed > 0);
  backend.forget();
  time.ms += 60_000;
  await context.connection.collection("batches").updateMany({}, { $set: { dueAt: new Date(0) } });
  const ended = Promise.withResolvers<void>();
  const events = { created: () => {}, ended: () => ended.resolve() };
  const log = createLogger({ service: "test", level: "silent" });
  await using worker = new BatchWorker({ context, atOnce: 1, keptMs: 60_000, events, log });
  worker.wake();
  const wake = setInterval(
    () => void context.connection.collection("batches").updateMany({ claim: "" }, { $set: { dueAt: new Date(0) } }),
    50,
  );
  await ended.promise.finally(() => clearInterval(wake));
  const { batch: failed, errors } = await outcome(batch, 20);
  assert.deepEqual([failed.status, errors.length, backend.billed.size], ["failed", 20, billed]);
  assert.equal(errors[0]?.error?.code, "idempotency_result_lost");
});

test("the account's share of memory pays for the lines of a slice while they run", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, context, create, step } = await openBatches(stack);
  const { buffers } = context.lines;
  const sent = lines(40);
  await create(sent);
  await step();
  const bytes = sent.join("").length;
  let least = Number.POSITIVE_INFINITY;
  backend.respond = ({ n }) => {
    least = Math.min(least, buffers.held);
    return { status: 200, body: { n } };
  };
  await step();
  assert.ok(least >= bytes && least < 2 * bytes, `${least} bytes held for ${bytes}`);
  assert.equal(buffers.held, 0);
});

test("a balance that runs out ends the batch with a partial result that says so", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, create, finish, outcome } = await openBatches(stack);
  const batch = await create(lines(300));
  backend.respond = ({ n }) => (n >= 130 ? used : { status: 200, body: { n } });
  assert.equal(await finish(), "failed");
  const { output, errors, batch: ended } = await outcome(batch, 300);
  assert.equal(output.length, 130);
  for (const { response, error } of errors) assert.deepEqual([response, error?.code], [null, "insufficient_balance"]);
  assert.deepEqual(
    ended.errors?.map(({ code, line }) => [code, line]),
    [["insufficient_balance", 131]],
  );
});

test("no result that was billed is lost when the balance runs out and then the worker dies", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, context, create, claim, step, finish, outcome } = await openBatches(stack);
  const batch = await create(lines(40));
  await step();
  const claimed = await claim();
  // The first line fails for want of money, the next eleven succeed, and the worker dies.
  backend.respond = ({ n }) => {
    if (backend.billed.size >= 11) claimed.leave.abort(new Error("killed"));
    return n === 0 ? { status: 429, headers: ["retry-after-ms", "1"] } : { status: 200, body: { n } };
  };
  await assert.rejects(nextStep(context, claimed), /killed/);
  await context.batches.release(claimed.batch, 0);
  backend.respond = () => used;
  const billed = backend.billed.size;
  assert.ok(billed >= 11);
  assert.equal(await finish(), "failed");
  assert.equal((await outcome(batch, 40)).output.length, billed);
});

test("a cancelled batch keeps the results it has and sends no further line", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, batches, context, create, claim, step, finish, outcome } = await openBatches(stack);
  const batch = await create(lines(250));
  await step();
  const claimed = await claim();
  const cancelled = Promise.withResolvers<void>();
  backend.respond = async ({ n }) => {
    if (n === 50) {
      claimed.stopWith.abort(endingOf(await batches.cancel(own, batch._id), 0));
      cancelled.resolve();
    }
    if (n > 50) await cancelled.promise;
    return { status: 200, body: { n } };
  };
  await nextStep(context, claimed);
  assert.ok(backend.billed.size < 60, `${backend.billed.size} lines were sent`);
  assert.equal(await finish(), "cancelled");
  const { output, errors } = await outcome(batch, 250);
  assert.equal(output.length, backend.billed.size);
  for (const { error } of errors) assert.equal(error?.code, "batch_cancelled");
  await assert.rejects(batches.cancel(own, batch._id), /A batch that is cancelled cannot be cancelled/);
});

test("a cancellation at any moment is never overwritten by the worker's step", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, batches, context, create, claim, finish, outcome } = await openBatches(stack);
  const validated = await create(lines(50));
  const validating = await claim();
  await batches.cancel(own, validated._id);
  await nextStep(context, validating);
  assert.equal(statusOf(await batches.find(own, validated._id)), "cancelling");
  assert.equal(await finish(), "cancelled");
  assert.deepEqual([(await outcome(validated, 50)).errors.length, backend.billed.size], [50, 0]);
  const last = await create(lines(5));
  await nextStep(context, await claim());
  const running = await claim();
  await batches.cancel(own, last._id);
  await nextStep(context, running);
  assert.equal(await finish(), "cancelled");
  assert.equal((await outcome(last, 5)).output.length, 5);
});

test("24 hours after its creation a batch expires, with the results it has", async () => {
  await using stack = new AsyncDisposableStack();
  const { create, step, finish, outcome, time } = await openBatches(stack);
  const batch = await create(lines(150));
  await step();
  await step();
  time.ms += 86_400_000;
  assert.equal(await finish(), "expired");
  const { output, errors } = await outcome(batch, 150);
  assert.deepEqual([output.length, errors.length, errors[0]?.error?.code], [100, 50, "batch_expired"]);
});

test("a revoked key ends its batches, with the results they have", async () => {
  await using stack = new AsyncDisposableStack();
  const { create, step, finish, outcome, revoke } = await openBatches(stack);
  const batch = await create(lines(150));
  await step();
  await step();
  revoke();
  assert.equal(await finish(), "failed");
  const { output, batch: ended } = await outcome(batch, 150);
  assert.deepEqual([output.length, ended.errors?.[0]?.code], [100, "invalid_api_key"]);
});

test("a limit, an unavailable service and a lost connection delay lines and lose none", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, create, finish, outcome } = await openBatches(stack);
  const batch = await create(lines(40));
  const seen = new Map<number, number>();
  backend.respond = ({ n }) => {
    const tries = (seen.get(n) ?? 0) + 1;
    seen.set(n, tries);
    if (tries === 1 && n % 3 === 0) return { status: 429, headers: ["x-should-retry", "true", "retry-after", "1"] };
    if (tries === 1 && n % 3 === 1) return { status: 503 };
    if (tries < 4 && n === 2) return { status: 502 };
    return { status: 200, body: { n } };
  };
  assert.equal(await finish(), "completed");
  assert.equal((await outcome(batch, 40)).output.length, 40);
  assert.deepEqual([seen.get(0), seen.get(1), seen.get(2), seen.get(5)], [2, 2, 4, 1]);
});

test("an invalid file fails the batch with the faults' lines, and none of it runs", async () => {
  await using stack = new AsyncDisposableStack();
  const { backend, batches, create, finish } = await openBatches(stack);
  const batch = await create([lineOf(0), "{", lineOf(0)]);
  assert.equal(await finish(), "failed");
  const { errors, outputFileId, errorFileId } = await batches.find(own, batch._id);
  assert.deepEqual(
    errors?.map(({ code, line }) => [line, code]),
    [
      [2, "invalid_json_line"],
      [3, "duplicate_custom_id"],
    ],
  );
  assert.deepEqual([outputFileId, errorFileId, backend.billed.size], [undefined, undefined, 0]);
});

test("an input file that is deleted ends its batch with the results it has", async () => {
  await using stack = new AsyncDisposableStack();
  const { batches, context, create, step, finish } = await openBatches(stack);
  const batch = await create(lines(150));
  await step();
  await step();
  await context.objects.remove(batch.input.objectId);
  assert.equal(await finish(), "failed");
  const { errors, counts, outputFileId } = await batches.find(own, batch._id);
  assert.deepEqual([errors?.[0]?.code, counts], ["input_file_deleted", { completed: 100, failed: 50, skipped: 50 }]);
  assert.ok(outputFileId);
});

test("assembling that is interrupted and repeated leaves one result file", async () => {
  await using stack = new AsyncDisposableStack();
  const { context, create, claim, step, expire, outcome, files, time } = await openBatches(stack);
  const batch = await create(lines(10));
  await step();
  await step();
  const late = await claim();
  await expire(batch);
  const results = await Promise.all([nextStep(context, late), nextStep(context, await claim())]);
  assert.deepEqual(results, [undefined, "completed"]);
  assert.equal((await outcome(batch, 10)).output.length, 10);
  const query = { accountId: "acc_1", purpose: "batch_output", limit: 9, after: undefined, order: "asc" } as const;
  assert.equal((await files.list(query)).length, 1);
  time.ms += 3_600_000;
  assert.equal((await files.list(query)).length, 0, "it expires as its batch asked for");
});

test("a creation repeated with its idempotency key is one batch, and unfinished batches are bounded", async () => {
  await using stack = new AsyncDisposableStack();
  const { create } = await openBatches(stack);
  const first = await create([lineOf(0)], { idempotencyKey: "order" });
  assert.equal((await create([lineOf(0)], { idempotencyKey: "order" }))._id, first._id);
  assert.notEqual((await create([lineOf(0)], { idempotencyKey: "order", keyId: "key_2" }))._id, first._id);
  await create([lineOf(0)]);
  await assert.rejects(create([lineOf(0)]), (error: GatewayError) => error.code === "too_many_open_requests");
});

test("a batch beyond the bound is refused only if none of its lines was sent, and then never runs", async () => {
  await using stack = new AsyncDisposableStack();
  const { create, batches, connection } = await openBatches(stack);
  for (let n = 0; n < 3; n++) await create([lineOf(n)]);
  const begun = await create([lineOf(3)], { claim: "claim_1", begun: true });
  assert.equal((await batches.find(own, begun._id)).live, true);
  const unsent = create([lineOf(4)], { claim: "claim_2" });
  await assert.rejects(unsent, (error: GatewayError) => error.code === "too_many_open_requests");
  assert.equal(await connection.collection("batches").countDocuments(), 4);
});

test("assembling that fails again and again uses none of the account's space", async () => {
  await using stack = new AsyncDisposableStack();
  const { context, create, claim, step, connection, parts } = await openBatches(stack);
  await create(lines(10));
  await step();
  await step();
  const unreadable = {
    ...parts,
    read: async function* () {
      yield Buffer.from("{");
      throw new Error("the store is unavailable");
    },
  };
  const assembling = await claim();
  for (let tries = 0; tries < 3; tries++)
    await assert.rejects(nextStep({ ...context, parts: unreadable as never }, assembling), /the store is unavailable/);
  assert.equal(await connection.collection("files").countDocuments(), 0);
});

test("an account keeps its newest batches, however many it creates", async () => {
  await using stack = new AsyncDisposableStack();
  const { create, batches, connection } = await openBatches(stack);
  const live = await create([lineOf(0)]);
  const { _id, ...ended } = await create(["{"]);
  await connection.collection("batches").updateOne({ _id } as never, { $set: { live: false } });
  const rows = Array.from({ length: 10_000 }, (_, n) => ({ ...ended, _id: `${_id}_${n}`, live: false }));
  await connection.collection("batches").insertMany(rows as never);
  await create([lineOf(1)]);
  assert.equal(await connection.collection("batches").countDocuments(), 10_001);
  assert.equal((await batches.find(own, live._id)).live, true);
  await assert.rejects(batches.find(own, _id), /does not exist/);
});

const mebibyte = 1024 * 1024;
const account = "acc_1";

/** The operations on batches with the real database. */
async function startBatches(stack: AsyncDisposableStack) {
  const batches = await openBatches(stack);
  const { context, files, time, connection } = batches;
  const clock = { moment: async () => time.ms, now: () => time.ms } as never;
  const batchEvents = { created: () => {}, ended: () => {} };
  const harness = stack.use(
    await startOperations({
      catalog,
      operations: (parts) => ({
        ...operations({ ...parts, assets: { host: () => assert.fail("an image is hosted") } }),
        ...batchOperations({
          ...parts,
          files,
          clock,
          batches: context.batches,
          batchEvents,
          publicUrl: "http://gateway",
          wake: () => {},
        }),
      }),
    }),
  );
  /** A file of the account, without its content. */
  const addFile = async (bytes: number, purpose: "batch" | "batch_output"): Promise<string> => {
    const id = newId("file");
    const created = new Date(time.ms);
    const row = {
      _id: id,
      accountId: account,
      keyId: "key_1",
      filename: "a",
      purpose,
      bytes,
      objectId: newId("object"),
    };
    await files.insert({ ...row, state: "ready", createdAt: created });
    return id;
  };
  return { ...batches, connection, addFile, call: harness.call.bind(harness) };
}

test("an account whose results exceed its space creates no further batch until it deletes files", async () => {
  await using stack = new AsyncDisposableStack();
  const { addFile, call, connection, files } = await startBatches(stack);
  const input = await addFile(100, "batch");
  const results = await addFile(50 * mebibyte, "batch_output");
  const body = { input_file_id: input, endpoint: "/v1/chat/completions", completion_window: "24h" };
  const refused = await call("batches.create", body, { account });
  assert.deepEqual(
    [refused.status, (refused.json()["error"] as { code: string }).code],
    [413, "storage_limit_exceeded"],
    refused.text,
  );
  assert.equal(await connection.collection("batches").countDocuments(), 0);
  await files.delete(account, results);
  assert.equal((await call("batches.create", body, { account })).status, 200);
});

test("a message that is too long once it is written as a line is refused, and leaves no file", async () => {
  await using stack = new AsyncDisposableStack();
  const { call, connection, stored } = await startBatches(stack);
  const numbers = Array(99_000).fill("1e20").join(",");
  const start = `{"requests":[{"custom_id":"a","params":{"model":"m","n":[${numbers}],"text":"`;
  const end = `"}}]}`;
  const body = start + "x".repeat(32 * mebibyte - start.length - end.length) + end;
  const refused = await call("message_batches.create", body, { account });
  assert.deepEqual([refused.status, refused.text.includes("is longer than")], [413, true], refused.text.slice(0, 300));
  assert.deepEqual([await connection.collection("batches").countDocuments(), await stored()], [0, 0]);
});
