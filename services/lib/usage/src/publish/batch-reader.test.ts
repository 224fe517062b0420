import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { partitionOf, usagePartitions } from "@uag/contract/messages/usage-subjects";
import { UsageBatch, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { openJournalDirectory } from "../journal/directory.ts";
import type { Journal } from "../journal/journal.ts";
import { encodeFinal, encodeStarted } from "../records.ts";
import { readBatch, readBatches } from "./batch-reader.ts";
import type { Batch } from "./unconfirmed.ts";

async function journalOf(events: readonly UsageEvent[], check: (journal: Journal) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "cut-"));
  const ignore = (): void => undefined;
  const settings = { damaged: ignore, failed: ignore, segmentBytes: 64 * 1024 };
  {
    await using home = await openJournalDirectory({ dir, owner: "me", journal: settings });
    await using journal = await home.create("h");
    // What is appended at once goes into one segment.
    for (let n = 0; n < events.length; n += 300) {
      const part = events.slice(n, n + 300);
      await Promise.all(part.flatMap((one) => [encodeStarted(one), encodeFinal(one)].map((it) => journal.append(it))));
    }
    await check(journal);
  }
  await rm(dir, { recursive: true, force: true });
}

async function readAll(journal: Journal): Promise<Batch[]> {
  const batches: Batch[] = [];
  let count = 0;
  const names = { newId: () => `b${++count}`, holderId: "h" };
  for (let from = journal.start; ; ) {
    const read = await readBatches(journal, from, names);
    if (read === undefined) return batches;
    batches.push(...read.batches);
    from = read.next;
  }
}

/** Fewer than a message takes of one account, and more. */
const mixed = Array.from({ length: 3_000 }, (_, n) => event(n, n % 3 === 0 ? "hot" : `acct_${n}`));

test("packs finals of many accounts into few messages, across segments and however busy one account is", async () => {
  await journalOf(mixed, async (journal) => {
    assert.ok(journal.end.segment > 3);
    const batches = await readAll(journal);
    assert.ok(batches.length <= usagePartitions + Math.ceil(mixed.length / 3 / 256), String(batches.length));
  });
});

function event(n: number, accountId: string): UsageEvent {
  return UsageEvent.fromPartial({ requestId: `r${n}`, accountId, rawUsage: Buffer.alloc(300, 65) });
}

test("puts every final into one batch of a single partition, which reads the same from the journal", async () => {
  await journalOf(mixed, async (journal) => {
    const batches = await readAll(journal);
    const ids: string[] = [];
    for (const batch of batches) {
      const { events: own, batchId } = UsageBatch.decode(batch.payload as Uint8Array);
      assert.equal(batchId, batch.id);
      assert.ok(own.length === batch.events && own.length <= 256);
      for (const { accountId, requestId } of own) {
        assert.equal(partitionOf(accountId), batch.partition);
        ids.push(requestId);
      }
      assert.deepEqual(await readBatch(journal, batch, "h"), batch.payload);
    }
    assert.deepEqual(ids.sort(), mixed.map(({ requestId }) => requestId).sort());
  });
});

test("spreads accounts evenly over the partitions, with sequential and with random ids", () => {
  for (const name of [(n: number) => `acct_${n}`, () => crypto.randomUUID()]) {
    const counts = new Array<number>(usagePartitions).fill(0);
    for (let n = 0; n < 64_000; n++) counts[partitionOf(name(n))]!++;
    assert.ok(Math.max(...counts) < 1_200 && Math.min(...counts) > 800, String(counts));
  }
});
