import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { ownClock } from "@uag/harness/own-clock";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { randomText } from "@uag/runtime/ids";
import { openFolder } from "@uag/runtime/objects/folder";
import type { ObjectStore } from "@uag/runtime/objects/store";
import { toDocument } from "@uag/usage/documents/event";
import type { Partition } from "@uag/usage/documents/months";
import { archiveMonth } from "../src/archive/archive.ts";
import { connectStore, openStore, type Store } from "../src/store/store.ts";
import { type Bench, event, startBench } from "./harness.ts";

const everything = { accountId: "", keyId: "", model: "", operation: "", fromMs: 0n, untilMs: 0n };
const keepMonths = 1;

/** Noon on a day `months` months ago. */
function past(months: number, day = 10): number {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, day, 12);
}
const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);
const begun = (id: string, ms: number, lastedMs = 1_000) =>
  event(id, { startedAtMs: BigInt(ms), endedAtMs: BigInt(ms + lastedMs) });

async function withArchive(work: (bench: Bench, dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "archive-"));
  try {
    await using bench = await startBench({ USAGE_KEEP_MONTHS: String(keepMonths), ARCHIVE_DIR: dir });
    await work(bench, dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** A second connection to metering's store. */
async function besides(bench: Bench) {
  const connection = await connectStore({
    url: bench.env["MONGODB_URL"] ?? "",
    database: bench.env["MONGODB_DATABASE"] ?? "",
  });
  const store = await openStore(connection, { keepMonths });
  return { store, [Symbol.asyncDispose]: () => connection.close() };
}

const silent = { archived: () => undefined } as never;

const closedOf = async (store: Store, month: string) =>
  (await store.partitions.list()).filter((one) => one.month === month && one.closed) as [Partition];

/** A store whose process pauses after it found that no file was recorded. */
function standingStill(store: Store, meanwhile: () => Promise<void>): Store {
  const months = Object.create(store.months) as Store["months"];
  months.findOne = (async (filter: object) => {
    const found = await store.months.findOne(filter);
    await meanwhile();
    return found;
  }) as never;
  months.updateOne = ((...of: Parameters<typeof months.updateOne>) => store.months.updateOne(...of)) as never;
  return { ...store, months };
}

const listed = async (bench: Bench, filter = everything): Promise<string[]> =>
  (await bench.usage.listEvents({ filter, page: { limit: 100, cursor: "" } })).events.map(({ requestId }) => requestId);

const counted = async (bench: Bench): Promise<bigint> => {
  const { buckets } = await bench.usage.queryUsage({ filter: everything, bucket: "day", page: undefined });
  return buckets.reduce((sum, { requests }) => sum + requests, 0n);
};

test("drops a due month only after its file was read back; counts stay, and repeated or late events count once", () =>
  withArchive(async (bench, dir) => {
    const old = past(3);
    const month = monthOf(old);
    const events = [begun("a", old), begun("b", old + 5_000), begun("new", Date.now(), 0)];
    await bench.applied([await bench.publish(events)]);
    await assert.rejects(bench.admin.archiveMonth({ month: monthOf(Date.now()) }), /whole months stay in the database/);
    const { months } = await bench.admin.listMonths({});
    assert.deepEqual(
      months.map(({ month: name, rows, due }) => [name, rows, due]),
      [
        [month, 2n, true],
        [monthOf(Date.now()), 1n, false],
      ],
    );
    assert.deepEqual((await bench.admin.archiveMonth({ month })).rows, 2n);
    const [file = ""] = await readdir(join(dir, month));
    assert.match(file, /^events-1-\w+\.ndjson\.gz$/);
    const lines = gunzipSync(await readFile(join(dir, month, file)))
      .toString()
      .trimEnd()
      .split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      events.slice(0, 2).map(UsageEvent.toJSON),
    );
    assert.deepEqual(await bench.admin.verifyMonth({ month }), { rows: 2n, faults: [] });
    assert.deepEqual(await listed(bench), ["new"]);
    assert.equal(await counted(bench), 3n);
    await assert.rejects(
      listed(bench, { ...everything, fromMs: BigInt(old) }),
      /of \d{4}-\d\d and before are archived/,
    );

    await bench.applied([await bench.publish([...events, begun("late", old)])]);
    assert.equal(await counted(bench), 4n);
    assert.match((await bench.admin.archiveMonth({ month })).key, /\/events-2-\w+\.ndjson\.gz$/);
    assert.deepEqual((await bench.admin.archiveMonth({ month })).rows, 0n);
    assert.deepEqual(await bench.admin.verifyMonth({ month }), { rows: 3n, faults: [] });

    const path = join(dir, month, file);
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.length - 12));
    assert.match((await bench.admin.verifyMonth({ month })).faults.join(), /reading .*events-1-\w+\.ndjson\.gz failed/);
    await rm(path);
    assert.match((await bench.admin.verifyMonth({ month })).faults.join(), /does not exist/);
  }));

test("resumes an archiving run interrupted at any point; a file that differs from the written rows drops nothing", () =>
  withArchive(async (bench) => {
    const old = past(3);
    const month = monthOf(old);
    await bench.applied([await bench.publish([begun("a", old), begun("b", old)])]);
    await using other = await besides(bench);
    const { store } = other;
    const events = { archived: () => undefined } as never;
    const files = new Map<string, Buffer>();
    const lossy: ObjectStore = {
      async put(id, _, body) {
        const bytes = await buffer(body);
        files.set(id, bytes.subarray(0, bytes.length >> 1));
        return bytes.length;
      },
      find: async (id) => {
        const bytes = files.get(id) ?? Buffer.alloc(0);
        return { contentType: "", size: bytes.length, read: async () => Readable.from([bytes]) };
      },
      remove: async (id) => void files.delete(id),
      check: async () => ({ ok: true }),
      [Symbol.asyncDispose]: async () => undefined,
    };
    await assert.rejects(archiveMonth({ store, objects: lossy, clock: ownClock, keepMonths, events }, month));
    assert.deepEqual((await listed(bench)).sort(), ["a", "b"], "closed, and still in the database");

    const [
      {
        rows: { collectionName: aside },
      },
    ] = await closedOf(store, month);
    const rows = await store.connection.db!.collection(aside).find().toArray();
    assert.equal((await bench.admin.archiveMonth({ month })).rows, 2n);
    // It died after recording the file and before dropping the rows.
    await store.connection.db!.collection(aside).insertMany(rows);
    await bench.admin.archiveMonth({ month });
    assert.equal((await store.months.findOne({ _id: month }))?.parts.length, 1);
    assert.deepEqual(await listed(bench), []);
  }));

test("resumes a run that an earlier release recorded without its collection, and does not confuse it with rows of equal sums", () =>
  withArchive(async (bench) => {
    const old = past(3);
    const month = monthOf(old);
    await bench.applied([await bench.publish([begun("a", old), begun("b", old)])]);
    await using other = await besides(bench);
    const { store } = other;
    const aside = store.connection.db!.collection(`archiving_${month.replace("-", "_")}`);
    const rows = await store.partitions.of(month).find().toArray();
    await bench.admin.archiveMonth({ month });
    await store.months.updateOne({ _id: month }, { $unset: { "parts.0.source": 1 } });
    await aside.insertMany(rows as never[]);
    await bench.admin.archiveMonth({ month });
    assert.equal((await store.months.findOne({ _id: month }))?.parts.length, 1);
    assert.deepEqual(await listed(bench), []);
    await aside.insertMany([begun("c", old), begun("d", old)].map(toDocument) as never[]);
    assert.equal((await bench.admin.archiveMonth({ month })).rows, 2n);
    assert.deepEqual(await bench.admin.verifyMonth({ month }), { rows: 4n, faults: [] });
  }));

for (const stopsAt of ["before it reads rows", "while it writes its file", "before it records its file"] as const) {
  test(`keeps every row when an archiver pauses ${stopsAt} and another archives the month meanwhile`, () =>
    withArchive(async (bench, dir) => {
      const old = past(3);
      const month = monthOf(old);
      await bench.applied([await bench.publish([begun("a", old), begun("b", old)])]);
      await using other = await besides(bench);
      const { store } = other;
      const folder = openFolder(dir);
      /** The other process archives the month, and late rows have arrived again. */
      const overtaken = async (): Promise<void> => {
        assert.equal((await bench.admin.archiveMonth({ month })).rows, 2n);
        await bench.applied([await bench.publish([begun("late", old)])]);
      };
      const objects: ObjectStore = {
        ...folder,
        async put(id, type, body) {
          if (stopsAt === "while it writes its file") await overtaken();
          return await folder.put(id, type, body);
        },
        async find(id) {
          if (stopsAt === "before it records its file") await overtaken();
          return await folder.find(id);
        },
      };
      const stale = archiveMonth(
        {
          store: stopsAt === "before it reads rows" ? standingStill(store, overtaken) : store,
          objects,
          clock: ownClock,
          keepMonths,
          events: silent,
        },
        month,
      );
      // It finds that it was overtaken, or finds nothing left to archive.
      await stale.catch(() => undefined);
      assert.deepEqual(await listed(bench), ["late"]);
      assert.deepEqual(await bench.admin.verifyMonth({ month }), { rows: 2n, faults: [] });
      assert.equal((await bench.admin.archiveMonth({ month })).rows, 1n);
      assert.deepEqual(await bench.admin.verifyMonth({ month }), { rows: 3n, faults: [] });
    }));
}

test("drops only the collection that it archived", () =>
  withArchive(async (bench) => {
    const old = past(3);
    const month = monthOf(old);
    await bench.applied([await bench.publish([begun("a", old)])]);
    await using other = await besides(bench);
    const { store } = other;
    const stale = await store.partitions.close(month);
    await bench.admin.archiveMonth({ month });
    await bench.applied([await bench.publish([begun("late", old)])]);
    await store.partitions.close(month);
    await store.partitions.drop(stale);
    assert.deepEqual(await listed(bench), ["late"]);
  }));

test("lists events newest first over all months, including requests that ended in the next month and events from before partitions", async () => {
  const oldRow = begun("before", past(2, 5));
  const prefix = `t${randomText(10)}_`;
  const connection = await connectStore({ url: process.env["TEST_MONGODB_URL"] ?? "", database: `${prefix}m` });
  await connection.db?.collection("events").insertOne(toDocument(oldRow) as never);
  await connection.close();
  await using bench = await startBench({}, prefix);
  bench.billing.settled.set("before", oldRow.costNanoUsd);
  // Between two months that are over: a current month would not be listed.
  const edge = past(1, 1) - 12 * 3_600_000 - 60_000;
  const events = [begun("x", past(3)), begun("y", past(2)), begun("z", past(2, 11)), begun("spans", edge, 120_000)];
  events.push(begun("first", edge + 61_000), begun("later", edge + 240_000), oldRow);
  await bench.applied([await bench.publish(events)]);
  const expected = ["later", "spans", "first", "z", "y", "before", "x"];
  for (const limit of [1, 2, 100]) {
    const ids: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await bench.usage.listEvents({ filter: everything, page: { limit, cursor } });
      ids.push(...page.events.map(({ requestId }) => requestId));
      if (page.nextCursor === "") break;
      cursor = page.nextCursor;
    }
    assert.deepEqual(ids, expected);
  }
  const { events: found } = await bench.usage.findEvents({ accountId: "acct_1", requestIds: ["before", "x", "spans"] });
  assert.deepEqual(found.map(({ requestId }) => requestId).sort(), ["before", "spans", "x"]);
});
