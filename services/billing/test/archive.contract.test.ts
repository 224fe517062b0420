import assert from "node:assert/strict";
import { once } from "node:events";
import { watch } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { ownClock } from "@uag/harness/own-clock";
import { waitFor } from "@uag/harness/testing/wait-for";
import { connectBooks } from "@uag/ledger/documents/connection";
import { entryDocument } from "@uag/ledger/documents/ledger";
import { openStore, type Store } from "@uag/ledger/documents/store";
import { chain, chainStart } from "@uag/ledger/rules/entry";
import { type LedgerArchiveServiceServer, LedgerArchiveServiceService } from "@uag/proto/billing/v1/archive.ts";
import { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { randomText } from "@uag/runtime/ids";
import { openFolder } from "@uag/runtime/objects/folder";
import type { ObjectStore } from "@uag/runtime/objects/store";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { archiveDue, archiveMonth, archiverLease, closedMonths, type LedgerArchive } from "../src/archive/archive.ts";
import { verifyMonth } from "../src/archive/verify.ts";
import { monthOf, seqOf } from "../src/invoices/months.ts";
import { faults, fund, type Scratch, scratch, spawnBilling, startBilling, usage } from "./harness.ts";

const keep = async (): Promise<void> => undefined;
const silent = { ledgerArchived: () => undefined, ledgerArchiveFailed: () => undefined };

/** Noon of a day, some months ago. */
function past(months: number, day = 10): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, day, 12));
}

/** Direct access to the ledger's database. */
async function openBooks({ env }: Scratch): Promise<Store & AsyncDisposable> {
  const { MONGODB_URL: url = "", MONGODB_DATABASE: database = "" } = env;
  const connection = await connectBooks({ url, database });
  return Object.assign(await openStore(connection), { [Symbol.asyncDispose]: () => connection.close() });
}

/** Rows of one account, numbered from a moment on. */
async function putRows({ ledger }: Store, accountId: string, { count, at }: { count: number; at: Date }) {
  const rows = Array.from({ length: count }, (_, i) => {
    const requestId = `${accountId}-${at.getTime()}-${i}`;
    const change = { available: -3n, held: 1n, charged: 2n, writtenOff: 0n, toppedUp: 0n };
    const event = usage({ requestId, accountId, costNanoUsd: 2n, rawUsage: Buffer.from(randomText(40)) });
    const posting = { id: `settle:${requestId}`, kind: "settle", change, requestId, event } as const;
    const place = { accountId, seq: seqOf(at) + BigInt(i), previousHash: chainStart, atMs: at.getTime() };
    return entryDocument(chain(posting, place));
  });
  await ledger.collection.insertMany(rows as never[]);
}

const months = { old: monthOf(past(2)), last: monthOf(past(1)) };

/** Two closed months of three accounts, and the open month. */
async function putBooks(store: Store): Promise<void> {
  const createdAt = past(2, 2);
  await store.accounts.collection.insertOne({ _id: "b", createdAt, number: 1 } as never);
  await putRows(store, "a", { count: 700, at: past(2) });
  // Numbered when numbers were not times yet.
  await putRows(store, "b", { count: 2, at: new Date(1) });
  await putRows(store, "b", { count: 1, at: past(2, 28) });
  await putRows(store, "c", { count: 600, at: past(2) });
  await putRows(store, "a", { count: 3, at: past(1) });
  await putRows(store, "c", { count: 4, at: new Date() });
}

async function withBooks(work: (archive: LedgerArchive, dir: string, db: Scratch) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "ledger-"));
  try {
    await using db = scratch({ ARCHIVE_DIR: dir, ARCHIVE_EVERY_MS: "1000" });
    await using store = await openBooks(db);
    await putBooks(store);
    await work({ store, clock: ownClock, objects: openFolder(dir), events: silent, rowsAPart: 600 }, dir, db);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const entriesIn = async (file: string): Promise<Entry[]> =>
  gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => Entry.fromJSON(JSON.parse(line)));

/** The path of a month's nth file. */
async function fileOf(dir: string, month: string, n: number): Promise<string> {
  const name = (await readdir(join(dir, month))).find((one) => one.startsWith(`ledger-${n}-`));
  return join(dir, month, name ?? "");
}

async function verified({ store, ...archive }: LedgerArchive, month: string) {
  const known = (await closedMonths(store, Date.now())).find(({ _id }) => _id === month);
  assert.ok(known !== undefined, `${month} is closed`);
  return await verifyMonth({ store, ...archive }, known);
}

function archiveClient(port: number) {
  return createRpcClient<LedgerArchiveServiceServer>(LedgerArchiveServiceService, `127.0.0.1:${port}`, insecure, {
    timeoutMs: 60_000,
  });
}

test("exports each closed month of the ledger completely, in order and once, and neither deletes rows nor touches the current month", () =>
  withBooks(async (archive, dir) => {
    const rows = await archive.store.ledger.countDocuments();
    await archiveDue(archive, keep);
    const files = await readdir(join(dir, months.old));
    assert.deepEqual(
      files.sort().map((name) => name.replace(/-\w+\.ndjson/, "")),
      [1, 2, 3].map((n) => `ledger-${n}.gz`),
    );
    const found = (await Promise.all(files.map((file) => entriesIn(join(dir, months.old, file))))).flat();
    const order = found.map(({ accountId, seq }) => `${accountId} ${String(seq).padStart(20, "0")}`);
    assert.deepEqual(order, [...new Set(order)].sort());
    assert.deepEqual(
      ["a", "b", "c"].map((id) => found.filter(({ accountId }) => accountId === id).length),
      [700, 3, 600],
    );
    assert.equal((await entriesIn(await fileOf(dir, months.last, 1))).length, 3);
    const [old] = await closedMonths(archive.store, Date.now());
    assert.deepEqual(
      old?.parts.map((part) => [part.rows, part.amounts.availableNanoUsd, part.amounts.chargedNanoUsd]),
      [
        [600n, -1_800n, 1_200n],
        [600n, -1_800n, 1_200n],
        [103n, -309n, 206n],
      ],
    );
    assert.deepEqual(await verified(archive, months.old), { rows: 1_303n, faults: [] });
    assert.deepEqual(await verified(archive, months.last), { rows: 3n, faults: [] });
    assert.equal(await archive.store.ledger.countDocuments(), rows);
    assert.deepEqual((await readdir(dir)).sort(), [months.old, months.last]);
  }));

test("finds a row changed, deleted or added in the database, and a changed, truncated or missing file", () =>
  withBooks(async (archive, dir) => {
    await archiveDue(archive, keep);
    const { ledger } = archive.store;
    const faultsOf = async () => (await verified(archive, months.old)).faults.join("\n");
    const Id = `settle:c-${past(2).getTime()}-5`;
    const row = await ledger.collection.findOne({ _id: Id } as never);
    await ledger.collection.updateOne({ _id: Id } as never, { $set: { charged: 3n } });
    assert.match(
      await faultsOf(),
      new RegExp(`^[\\d-]+/ledger-2-\\w+\\.ndjson\\.gz: row ${Id} differs in the ledger\\.$`),
    );
    await ledger.collection.deleteOne({ _id: Id } as never);
    assert.match(await faultsOf(), new RegExp(`in place of row ${Id} the ledger has settle:c-\\d+-6\\.$`));
    await ledger.collection.insertOne(row as never);
    assert.equal(await faultsOf(), "");
    await putRows(archive.store, "z", { count: 1, at: past(2) });
    assert.match(await faultsOf(), /row settle:z-\d+-0 of the ledger is in no file/);
    await ledger.collection.deleteOne({ accountId: "z" });
    await putRows(archive.store, "ab", { count: 1, at: past(2) });
    assert.match(
      await faultsOf(),
      /ledger-2-\w+\.ndjson\.gz: in place of row settle:b-\d+-0 the ledger has settle:ab-/,
    );
    await ledger.collection.deleteOne({ accountId: "ab" });

    const file = await fileOf(dir, months.old, 1);
    const bytes = await readFile(file);
    await writeFile(
      file,
      gzipSync(gunzipSync(bytes).toString().replace('"chargedNanoUsd":"2"', '"chargedNanoUsd":"1"')),
    );
    assert.match(await faultsOf(), /differs from the archived file\.\n.*: row settle:a-\d+-0 differs in the ledger/);
    await writeFile(file, bytes.subarray(0, bytes.length - 12));
    assert.match(await faultsOf(), /reading .*ledger-1-\w+\.ndjson\.gz failed/);
    await rm(file);
    assert.match(await faultsOf(), /does not exist/);
  }));

test("an interrupted archive run continues after the last verified file; nothing is recorded for a file that the store loses", () =>
  withBooks(async (archive) => {
    const { store } = archive;
    const known = async () => {
      const [month] = await closedMonths(store, Date.now());
      assert.ok(month !== undefined);
      return month;
    };
    const objects = archive.objects as ObjectStore;
    const written: string[] = [];
    const put: ObjectStore["put"] = async (key, type, body) => {
      if (written.length === 1) throw new Error("the store is unreachable");
      written.push(key);
      return await objects.put(key, type, body);
    };
    await assert.rejects(
      archiveMonth({ ...archive, objects: { ...objects, put } }, await known(), keep),
      /the store is unreachable/,
    );
    assert.deepEqual([(await known()).parts.length, (await known()).archivedAt], [1, null]);

    const other: ObjectStore["find"] = async () => await objects.find((await known()).parts[0]?.key ?? "");
    const forgetful = { ...archive, objects: { ...objects, find: other } };
    await assert.rejects(archiveMonth(forgetful, await known(), keep), /ledger-2.* differs from the written rows/);
    assert.equal((await known()).parts.length, 1);

    const lost = async (): Promise<void> => {
      throw new Error("another process holds the lease");
    };
    await assert.rejects(archiveMonth(archive, await known(), lost), /holds the lease/);
    const before = await known();
    assert.deepEqual(
      (await archiveMonth(archive, before, keep)).map(({ key }) => key.replace(/-\w+\.ndjson/, "")),
      [2, 3].map((n) => `${months.old}/ledger-${n}.gz`),
    );
    await assert.rejects(archiveMonth(archive, before, keep), /another process has archived rows/);
    assert.deepEqual(await verified(archive, months.old), { rows: 1_303n, faults: [] });
  }));

test("exports each row of a month once when billing is killed while writing and two processes continue", () =>
  withBooks(async (_, dir, db) => {
    await mkdir(join(dir, months.old));
    const watcher = watch(join(dir, months.old));
    const begun = once(watcher, "change");
    await using billing = await spawnBilling(db.env);
    await begun;
    watcher.close();
    await db.tamper("leases", { _id: "ledger-archiver" }, { $set: { until: new Date(0) } });
    await billing.restart();
    await using second = await startBilling(db.env);
    using one = archiveClient(billing.port);
    using two = archiveClient(second.grpcPort);
    const lists = () => Promise.all([one.listLedgerMonths({}), two.listLedgerMonths({})]);
    await waitFor(async () => (await lists()).every(({ months: all }) => all.every(({ archived }) => archived)));
    const again = await Promise.allSettled(
      [one, two].map((client) => client.archiveLedgerMonth({ month: months.old })),
    );
    for (const result of again) if (result.status === "fulfilled") assert.equal(result.value.rows, 0n);
    assert.deepEqual(await one.verifyLedgerMonth({ month: months.old }), { rows: 1_303n, faults: [] });
    assert.deepEqual(await two.verifyLedgerMonth({ month: months.last }), { rows: 3n, faults: [] });
    const recorded = (await one.listLedgerMonths({})).months.flatMap(({ parts }) => parts.map(({ rows }) => rows));
    assert.deepEqual(recorded, [1_303n, 3n]);
    await assert.rejects(one.archiveLedgerMonth({ month: monthOf(new Date()) }), /must be a closed month/);
  }));

test("rejects the open month as an invalid request, and a closed month with a retry, while another process archives", () =>
  withBooks(async ({ store }, _, db) => {
    const leases = archiverLease(store);
    await leases.leases.insertOne({ _id: leases.id, owner: "another", until: new Date(Date.now() + 3_600_000) });
    await using billing = await startBilling(db.env);
    using client = archiveClient(billing.grpcPort);
    await assert.rejects(client.archiveLedgerMonth({ month: monthOf(new Date()) }), /must be a closed month/);
    await assert.rejects(client.archiveLedgerMonth({ month: months.old }), /Another process is archiving/);
  }));

test("billing settles and counts failures while the archive store is unreachable, and archives the month once it is back", async () => {
  const dir = await mkdtemp(join(tmpdir(), "ledger-"));
  const away = join(dir, "away");
  try {
    await writeFile(away, "a file where a folder should be");
    await using db = scratch({ ARCHIVE_DIR: join(away, "archive"), ARCHIVE_EVERY_MS: "1000" });
    await using billing = await startBilling(db.env);
    const accountId = await fund(billing, 100n);
    await db.tamper("accounts", { _id: accountId }, { $set: { createdAt: past(1) } });
    using client = archiveClient(billing.grpcPort);
    const failures = async (): Promise<boolean> => {
      const text = await (await fetch(`http://127.0.0.1:${billing.adminPort}/metrics`)).text();
      return /^uag_ledger_archive_failures_total\{[^}]*\} [1-9]/m.test(text);
    };
    await using store = await openBooks(db);
    await putRows(store, "old", { count: 1, at: past(1) });
    await waitFor(failures);
    const event = usage({ accountId, grantId: "", costNanoUsd: 5n, holdNanoUsd: 5n });
    assert.equal((await billing.ledger.settle({ events: [event] })).settled[0]?.chargedNanoUsd, 5n);
    await store.ledger.collection.deleteOne({ accountId: "old" });
    assert.deepEqual(await faults(billing), []);
    await putRows(store, "old", { count: 1, at: past(1) });
    await rm(away);
    const archived = async () => (await client.listLedgerMonths({})).months.every((month) => month.archived);
    await waitFor(archived);
    assert.deepEqual(await client.verifyLedgerMonth({ month: months.last }), { rows: 1n, faults: [] });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

test("archives nothing without a store, and a command that requires one reports it", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  using client = archiveClient(billing.grpcPort);
  const accountId = await fund(billing, 1n);
  await db.tamper("accounts", { _id: accountId }, { $set: { createdAt: past(1) } });
  await assert.rejects(client.archiveLedgerMonth({ month: months.last }), /set ARCHIVE_DIR or ARCHIVE_S3_ENDPOINT/);
  const { faults: told } = await client.verifyLedgerMonth({ month: months.last });
  assert.match(told.join(), /No archive store is configured/);
});
