import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { startOperations } from "@uag/harness/start-operations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { connectMongo } from "@uag/mongo/connect";
import type { DatabaseClock } from "@uag/mongo/database-clock";
import { openGridFs } from "../src/assets/gridfs.ts";
import { FileStore } from "../src/files/file-store.ts";
import { fileOperations } from "../src/files/operations.ts";
import { operations } from "../src/operations.ts";
import { catalog } from "./support.ts";

const mebibyte = 1024 * 1024;
const boundary = "boundary-of-the-test";
const type = ["content-type", `multipart/form-data; boundary=${boundary}`];
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n`;
const tail = `\r\n--${boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--${boundary}--\r\n`;
const formOf = (content: Buffer): Buffer => Buffer.concat([Buffer.from(head), content, Buffer.from(tail)]);

/** The operations on files with the real database, and a clock of the test's own. */
async function startFiles(stack: AsyncDisposableStack, maxBytes = 100 * mebibyte) {
  const { url, database } = stack.use(scratchDatabase());
  const connection = await connectMongo({ url, database, service: "media", maxPoolSize: 8, readConcern: "majority" });
  stack.defer(() => connection.close());
  const objects = stack.use(await openGridFs({ url, database, bucket: "file_objects" }));
  const time = { ms: Date.now() };
  const clock = { moment: async () => time.ms, now: () => time.ms } as DatabaseClock;
  const files = new FileStore({ connection, objects, space: { maxBytes, maxFiles: 10 }, now: clock.now });
  await files.open();
  const harness = stack.use(
    await startOperations({
      catalog,
      idempotency: { url, database },
      bufferLimits: { totalBytes: 8 * mebibyte, ownerBytes: 8 * mebibyte },
      operations: (context) => ({
        ...operations({ ...context, assets: { host: () => assert.fail("an image is hosted") } }),
        ...fileOperations({ ...context, files, clock }),
      }),
    }),
  );
  const send = (content: Buffer, more: readonly string[] = []) => {
    const body = formOf(content);
    const headers = [...type, "content-length", String(body.length), ...more];
    return harness.call("files.create", body, { headers });
  };
  const count = async () => ({
    rows: await connection.collection("files").countDocuments(),
    objects: await connection.collection("file_objects.files").countDocuments(),
    chunks: await connection.collection("file_objects.chunks").countDocuments(),
  });
  /** The store loses a part of every file. */
  const breakChunks = () => connection.collection("file_objects.chunks").deleteMany({ n: 4 });
  return { harness, send, count, files, time, breakChunks };
}

const nothing = { rows: 0, objects: 0, chunks: 0 };

test("concurrent uploads never exceed an account's space, and deleted files free it", async () => {
  await using stack = new AsyncDisposableStack();
  const { harness, send, count } = await startFiles(stack, 3 * mebibyte);
  const content = randomBytes(mebibyte);
  const responses = await Promise.all(Array.from({ length: 8 }, () => send(content)));
  const stored = responses.filter(({ status }) => status === 200);
  assert.ok(stored.length <= 2, `${stored.length} files of 1 MiB and their forms in 3 MiB`);
  for (const { status, text } of responses)
    if (status !== 200) assert.deepEqual([status, /storage_limit_exceeded/.test(text)], [413, true], text);
  assert.deepEqual((await count()).rows, stored.length);
  for (const response of stored) {
    const target = `/v1/files/${response.json()["id"]}`;
    assert.equal((await harness.call("files.delete", undefined, { target })).status, 200);
  }
  assert.deepEqual(await count(), nothing);
  assert.equal((await send(content)).status, 200);
});

test("an upload that is interrupted leaves nothing behind", async () => {
  await using stack = new AsyncDisposableStack();
  const { harness, count } = await startFiles(stack);
  const stream = harness.begin("files.create", { headers: [...type, "content-length", String(4 * mebibyte)] });
  stream.call.writeBody(Buffer.concat([Buffer.from(head), randomBytes(2 * mebibyte)]));
  await waitFor(async () => (await count()).chunks > 0, { what: "the first bytes to be stored" });
  stream.call.cancel("the client disconnected");
  await stream.head.catch(() => undefined);
  await waitFor(async () => JSON.stringify(await count()) === JSON.stringify(nothing), { what: "their removal" });
});

test("a file larger than the whole process's buffers is stored, also with an idempotency key", async () => {
  await using stack = new AsyncDisposableStack();
  const { harness, send } = await startFiles(stack);
  const content = randomBytes(20 * mebibyte);
  const response = await send(content, ["idempotency-key", "one"]);
  assert.equal(response.status, 200, response.text);
  assert.equal(harness.buffers.held, 0);
  const target = `/v1/files/${response.json()["id"]}/content`;
  const { body } = await harness.call("files.content", undefined, { target });
  assert.ok(body.equals(content));
});

test("a file whose content cannot be read to its end is never sent as if it were complete", async () => {
  await using stack = new AsyncDisposableStack();
  const { harness, send, breakChunks } = await startFiles(stack);
  const content = randomBytes(3 * mebibyte);
  const target = `/v1/files/${(await send(content)).json()["id"]}/content`;
  await breakChunks();
  const response = await harness.call("files.content", undefined, { target });
  assert.deepEqual([response.status, response.broken !== undefined], [200, true]);
  assert.ok(response.body.length < content.length);
});

test("a file that expires does not exist from then on, and the next sweep removes its content", async () => {
  await using stack = new AsyncDisposableStack();
  const { harness, send, count, files, time } = await startFiles(stack);
  const target = `/v1/files/${(await send(Buffer.from("{}\n"))).json()["id"]}`;
  time.ms += 29 * 86_400_000;
  await files.sweep();
  assert.equal((await harness.call("files.get", undefined, { target })).status, 200);
  time.ms += 2 * 86_400_000;
  assert.equal((await harness.call("files.get", undefined, { target })).status, 404);
  await files.sweep();
  assert.deepEqual(await count(), nothing);
});

test("the sweep removes what an upload left whose process died", async () => {
  await using stack = new AsyncDisposableStack();
  const { harness, count, files, time } = await startFiles(stack);
  const stream = harness.begin("files.create", { headers: [...type, "content-length", String(4 * mebibyte)] });
  stream.call.writeBody(Buffer.concat([Buffer.from(head), randomBytes(2 * mebibyte)]));
  await waitFor(async () => (await count()).chunks > 0, { what: "the first bytes to be stored" });
  await files.sweep();
  assert.equal((await count()).rows, 1, "an upload in progress stays");
  time.ms += 3 * 3_600_000;
  await files.sweep();
  assert.deepEqual((await count()).rows, 0);
  stream.call.cancel("the test is over");
  await stream.head.catch(() => undefined);
});
