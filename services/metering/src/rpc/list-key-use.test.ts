import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../store/store.ts";
import { listKeyUse } from "./list-key-use.ts";

const hour = Date.UTC(2026, 10, 25, 12);
const minuteMs = 60_000;

/** The count of a key with a last use and sums by hour, at a time; minutes count from noon. */
async function countAt(now: number, lastUse: number, sums: Readonly<Record<number, number>>): Promise<bigint> {
  const rows = Object.entries(sums).map(([minute, requests]) => ({
    _id: { keyId: "k", start: new Date(hour + Number(minute) * minuteMs) },
    requests,
  }));
  const spent = [{ _id: "k", cost: 30, writtenOff: 10 }];
  const rowsOf = ([{ $match }]: [{ $match: { bucket: string } }]) => ($match.bucket === "hour" ? rows : spent);
  const store = {
    keyUse: { find: () => ({ toArray: async () => [{ _id: "k", lastUsedAt: new Date(hour + lastUse * minuteMs) }] }) },
    rollups: { aggregate: (stages: [{ $match: { bucket: string } }]) => ({ toArray: async () => rowsOf(stages) }) },
  } as unknown as Store;
  const { keys } = await listKeyUse(store, { keys: [{ keyId: "k", accountId: "a" }] }, hour + now * minuteMs);
  assert.equal(keys[0]?.spentThisMonthNanoUsd, 20n);
  return keys[0].requestsLastHour;
}

test("a key used within the hour has at least one request, also before its sums are stored", async () => {
  assert.equal(await countAt(5, 4, {}), 1n);
  assert.equal(await countAt(0.1, -1, { [-60]: 30 }), 30n, "just after the turn of the hour");
});

test("a key last used more than an hour ago has no request in the last hour", async () => {
  assert.equal(await countAt(30, -31, { [-60]: 30 }), 0n);
});

test("requests of an hour that has not begun by this clock count in full", async () => {
  assert.equal(await countAt(-0.1, 0, { 0: 30 }), 30n);
});

test("half an hour into an hour, half of the previous hour's requests count", async () => {
  assert.equal(await countAt(30, 30, { [-60]: 30, 0: 4 }), 19n);
});
