import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { partitionOf, usagePartitions } from "@uag/contract/messages/usage-subjects.ts";
import { openJournalHome } from "@uag/journal/home.ts";
import type { Journal } from "@uag/journal/journal.ts";
import { UsageBatch, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { encodeFinal, encodeStarted } from "../records.ts";
import { readBatch, readBatches } from "./batch-reader.ts";
import type { Batch } from "./unconfirmed.ts";

async function journalOf(events: readonly UsageEvent[], check: (journal: Journal) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "cut-"));
  const ignore = (): void => undefined;
  {
    await using home = await openJournalHome({ dir, owner: "me", journal: { damaged: ignore, failed: ignore } });
    await using journal = await home.create("h");
    await Promise.all(
      events.flatMap((event) => [journal.append(encodeStarted(event)), journal.append(encodeFinal(event))]),
    );
    await check(journal);
  }
  await rm(dir, { recursive: true, force: true });
}

async function readAll(journal: Journal): Promise<Batch[]> {
  const batches: Batch[] = [];
  let count = 0;
  const names = { newId: () => `b${++count}`, holderId: "h" };
  for (let from = journal.start; ; ) {
    const cut = await readBatches(journal, from, names);
    if (cut === undefined) return batches;
    batches.push(...cut.batches);
    from = cut.next;
  }
}

const event = (n: number, accountId: string): UsageEvent =>
  UsageEvent.fromPartial({ requestId: `r${n}`, accountId, rawUsage: Buffer.alloc(300, 65) });

test("every final goes into one batch, which holds accounts of one partition alone, and reads the same from the journal", async () => {
  const events = Array.from({ length: 3_000 }, (_, n) => event(n, n % 3 === 0 ? "hot" : `acct_${n}`));
  await journalOf(events, async (journal) => {
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
    assert.deepEqual(ids.sort(), events.map(({ requestId }) => requestId).sort());
  });
});

test("accounts are spread evenly over the partitions, whether their names count up or are random", () => {
  for (const name of [(n: number) => `acct_${n}`, () => crypto.randomUUID()]) {
    const counts = new Array<number>(usagePartitions).fill(0);
    for (let n = 0; n < 64_000; n++) counts[partitionOf(name(n))]!++;
    assert.ok(Math.max(...counts) < 1_200 && Math.min(...counts) > 800, String(counts));
  }
});
