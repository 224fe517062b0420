import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Backend, startBackend } from "@uag/harness/backend";
import { replica } from "@uag/harness/replica";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { request, settlement, spawnReplica } from "./harness.ts";

/** Read at the first operation, so it is set before any test. */
const faults = join(tmpdir(), `disk-faults-${process.pid}`);
process.env["DISK_FAULTS"] = faults;

const usd = 1_000_000_000n;
const quick = { publish: { gatherMs: 20, confirmMs: 50, republishMs: 1_000 }, idleMs: 1_000, adoptMs: 200 };

/** Runs a replica under load, kills it, and returns which requests it had settled. */
async function abandonJournal(backend: Backend, account: string, name: string): Promise<string[]> {
  // Its environment has no faults.
  using spawned = spawnReplica(backend, account, name);
  const leftOpen = (): boolean => spawned.lines.some((line) => line.startsWith("open "));
  await waitFor(() => spawned.lines.length > 300 && leftOpen(), { what: "load, with a request left open" });
  spawned.child.kill("SIGKILL");
  await once(spawned.child, "close");
  return spawned.lines.filter((line) => line.startsWith("settled")).map((line) => line.slice("settled ".length));
}

const journals = async (backend: Backend): Promise<string[]> =>
  (await readdir(backend.journalDir)).filter((name) => name.includes("@"));
const moneyOf = (backend: Backend, id: string) => backend.accounts.getAccount({ id });

async function gauge(admission: { text(): Promise<string> }, name: string): Promise<number> {
  return Number(new RegExp(`^${name}\\{.*\\} (.*)$`, "m").exec(await admission.text())?.[1]);
}

test("a full disk does not delay bills already written; requests of dead processes are billed once space is free, and new ones are admitted then", async (t) => {
  await using backend = await startBackend();
  const account = await backend.account(usd);
  const settled = await abandonJournal(backend, account, "full");
  t.after(() => rm(faults, { force: true }));
  await writeFile(faults, "ENOSPC mkdir open write sync");
  await using admission = await replica(backend.env, quick);
  assert.equal((await admission.check()).ok, false, "it has no journal of its own");
  const billed = async (): Promise<Map<string, Outcome>> =>
    new Map((await backend.events(account)).map(({ requestId, outcome }) => [requestId, outcome]));
  await waitFor(async () => (await billed()).size >= settled.length, { what: "the bills that are on disk" });
  const early = await billed();
  assert.deepEqual(
    settled.filter((id) => early.get(id) !== Outcome.COMPLETED),
    [],
  );
  assert.ok(![...early.values()].includes(Outcome.CRASHED));
  await waitFor(async () => (await gauge(admission, "uag_waiting_journals")) === 1, { what: "one journal that waits" });
  await waitFor(async () => (await gauge(admission, "uag_waiting_journal_seconds")) > 0, { what: "its age" });
  await rm(faults);
  await waitFor(async () => (await moneyOf(backend, account)).heldNanoUsd === 0n, { what: "nothing held" });
  assert.ok([...(await billed()).values()].includes(Outcome.CRASHED));
  await waitFor(async () => (await gauge(admission, "uag_waiting_journals")) === 0, { what: "home" });
  await waitFor(async () => (await admission.check()).ok, { what: "ready" });
  await (await admission.admit(request(account, "new", 1_000n))).settle(settlement(10n));
  await waitFor(async () => (await billed()).has("new"), { what: "the new bill" });
  assert.deepEqual((await backend.ledger.audit({})).violations, []);
});

test("a journal that cannot be opened does not block others, is reported, and is adopted once it can be opened", async () => {
  await using backend = await startBackend();
  const account = await backend.account(usd);
  const settled = await abandonJournal(backend, account, "good");
  const [good = ""] = await journals(backend);
  const [, , kernel] = good.split("@");
  // Sorts first by name.
  const broken = join(backend.journalDir, `a@b@${kernel}`);
  await writeFile(broken, "no directory");
  await using admission = await replica(backend.env, quick);
  await waitFor(async () => (await backend.events(account)).length >= settled.length, {
    what: "the other journal's bills",
  });
  await waitFor(async () => (await moneyOf(backend, account)).heldNanoUsd === 0n, { what: "the other holder's money" });
  await waitFor(async () => (await gauge(admission, "uag_waiting_journals")) === 1, {
    what: "only the journal that cannot be opened",
  });
  await waitFor(async () => (await gauge(admission, "uag_waiting_journal_seconds")) > 0, { what: "its age" });
  const [left = ""] = (await journals(backend)).filter((name) => name.startsWith("a@"));
  await rm(join(backend.journalDir, left));
  await waitFor(async () => (await gauge(admission, "uag_waiting_journals")) === 0, { what: "none" });
});

test("a journal of another kernel is adopted only after billing reports its holder gone", async () => {
  await using backend = await startBackend({
    HOLDER_LEASE_MS: "1500",
    REAP_INTERVAL_MS: "100",
    ORPHAN_GRACE_MS: "600000",
  });
  const account = await backend.account(usd);
  const settled = await abandonJournal(backend, account, "far");
  const [name = ""] = await journals(backend);
  const [id, owner] = name.split("@");
  await rename(join(backend.journalDir, name), join(backend.journalDir, `${id}@${owner}@0123456789ab.ba9876543210`));
  await using admission = await replica(backend.env, quick);
  await waitFor(async () => (await gauge(admission, "uag_waiting_journals")) === 1, {
    what: "the search for journals",
  });
  // The search repeats, also after its holder's lease has expired.
  await sleep(2_500);
  assert.ok((await journals(backend)).some((one) => one.endsWith("@0123456789ab.ba9876543210")));
  await backend.fence([id ?? ""], new Date(Date.now() - 3_600_000));
  await waitFor(async () => (await backend.events(account)).length >= settled.length, { what: "its bills" });
  await waitFor(async () => (await gauge(admission, "uag_waiting_journals")) === 0, { what: "home" });
  assert.deepEqual((await backend.ledger.audit({})).violations, []);
});

test("a journal kept by a graceful stop is adopted by one of several processes, charges nothing twice, and is deleted", async () => {
  await using backend = await startBackend();
  const account = await backend.account(usd);
  const ids = Array.from({ length: 200 }, (_, n) => `kept-${n}`);
  {
    await using stopped = await replica(backend.env, { ...quick, journalKeep: "on" });
    for (const id of ids) await (await stopped.admit(request(account, id, 1_000n))).settle(settlement(100n));
  }
  const [kept, ...others] = await journals(backend);
  assert.deepEqual(others, []);
  const before = await moneyOf(backend, account);
  assert.deepEqual([before.chargedNanoUsd, before.heldNanoUsd], [20_000n, 0n], "it was delivered before the stop");
  {
    await using one = await replica(backend.env, quick);
    await using other = await replica(backend.env, quick);
    const adopted = async (): Promise<boolean> =>
      !(await journals(backend)).some((name) => name.startsWith(`${kept?.split("@")[0]}@`));
    await waitFor(adopted, { what: "the kept journal to be deleted" });
    const crashed = [await gauge(one, "uag_crashed_requests_total"), await gauge(other, "uag_crashed_requests_total")];
    assert.deepEqual(crashed, [0, 0]);
  }
  assert.deepEqual(await journals(backend), []);
  assert.equal((await backend.events(account)).length, ids.length);
  assert.equal((await moneyOf(backend, account)).chargedNanoUsd, 20_000n);
  assert.deepEqual((await backend.ledger.audit({})).violations, []);
});
