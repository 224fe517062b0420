import assert from "node:assert/strict";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Journal, JournalClosed } from "./journal/journal.ts";
import type { Publisher } from "./publish/publisher.ts";
import { drained, retireHolder } from "./retire-holder.ts";
import type { SessionDependencies } from "./session-dependencies.ts";

test("publishes a bill that is being written when its holder retires before deleting the journal, and refuses later ones", async () => {
  const dir = await mkdtemp(join(tmpdir(), "leave-"));
  await using _ = { [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
  const disk = Promise.withResolvers<void>();
  const openFile = async (...args: Parameters<typeof open>): Promise<FileHandle> => {
    await disk.promise;
    return open(...args);
  };
  const journal = await Journal.open(dir, {
    damaged: () => assert.fail("the journal was reported as damaged"),
    failed: (error) => assert.fail(String(error)),
    openFile: openFile as NonNullable<Parameters<typeof Journal.open>[1]["openFile"]>,
  });
  const bill = journal.append(Buffer.from("bill"));
  const published: string[] = [];
  let at = journal.start;
  const publisher = {
    get done() {
      const { end } = journal;
      return at.segment === end.segment && at.offset >= end.offset;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const dependencies = {
    billing: { closeHolder: async () => ({ grantsClosed: 0 }) },
    delay: async () => {
      at = await journal.read(at, (record) => published.push(record.toString()) > 0);
    },
  };
  const holder = { holderIds: ["h"], journal, publisher: publisher as unknown as Publisher };
  const left = retireHolder(dependencies as unknown as SessionDependencies, holder, new AbortController().signal);
  await assert.rejects(journal.append(Buffer.from("later")), JournalClosed);
  disk.resolve();
  await bill;
  assert.equal(await left, true);
  assert.deepEqual(published, ["bill"]);
});

/** Returns that shrink by `perLook` at each poll, and a clock that advances with the polls. */
function returning(count: number, perLook: number) {
  let [now, pending] = [0, count];
  const delay = async (ms: number): Promise<void> => {
    now += ms;
    pending = Math.max(0, pending - perLook);
  };
  const dependencies = { clock: { monotonic: () => now }, delay } as unknown as SessionDependencies;
  return { dependencies, pending: () => pending, elapsed: () => now };
}

test("waits for returns as long as billing accepts them, however many", async () => {
  const many = returning(100_000, 700);
  assert.equal(await drained(many.pending, many.dependencies, 5_000), true);
  assert.equal(many.pending(), 0);
  assert.ok(many.elapsed() > 10_000);
});

test("gives up on returns that billing does not accept; closing the holder releases their grants", async () => {
  const stuck = returning(3, 0);
  assert.equal(await drained(stuck.pending, stuck.dependencies, 5_000), false);
  assert.equal(stuck.elapsed(), 5_000);
});
