import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { prune } from "@uag/billing/grants/prune";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { keyringOf } from "@uag/runtime/keyring";
import { runAudit } from "../src/run.ts";
import { nextDue, startService } from "../src/service.ts";
import { acquireFields, type Backend, openBackend, usage } from "./harness.ts";

/** Creates an account with a grant and some settled requests; returns all of them. */
async function busyAccount(backend: Backend) {
  const accountId = await backend.fund(1_000n);
  const { grantId } = await backend.grants.acquire(acquireFields(accountId, 500n));
  const events = Array.from({ length: 3 }, () => usage({ accountId, grantId }));
  await backend.ledger.settle({ events });
  return { accountId, grantId, events };
}

const rowOf = (requestId: string) => ({ _id: `settle:${requestId}` as never });

test("an hourly audit reads only rows since the checkpoint and finds changes to them; the full audit finds earlier ones", async () => {
  await using backend = await openBackend();
  const { parts, ledger } = backend;
  const rows = parts.books.ledger.collection;
  const set = (requestId: string, priceVersion: string) =>
    rows.updateOne(rowOf(requestId), { $set: { "event.priceVersion": priceVersion } });
  const { accountId, grantId, events } = await busyAccount(backend);
  const whole = await runAudit(parts, "whole");
  assert.deepEqual([whole.exact, whole.rows], [true, 5]);
  assert.deepEqual((await runAudit(parts, "incremental")).rows, 0);

  const later = usage({ accountId, grantId });
  await ledger.settle({ events: [later] });
  await backend.grants.return({ grantId, sequence: 1, amountNanoUsd: 10n, close: false, spentNanoUsd: 0n });
  const hour = await runAudit(parts, "incremental");
  assert.deepEqual([hour.exact, hour.rows, hour.notices], [true, 2, []]);

  const before = events[0]?.requestId ?? "";
  await set(before, "v2");
  assert.equal((await runAudit(parts, "incremental")).exact, true);
  assert.match((await runAudit(parts, "whole")).faults.join(), new RegExp(`settle:${before} was changed`));
  await set(before, "v1");

  const last = usage({ accountId, grantId });
  await ledger.settle({ events: [last] });
  await set(last.requestId, "v2");
  // The account gets no checkpoint, so the fault is found again until it is repaired.
  for (let i = 0; i < 2; i++) {
    const { faults } = await runAudit(parts, "incremental");
    assert.match(faults.join(), new RegExp(`settle:${last.requestId} was changed`));
  }
  await set(last.requestId, "v1");
  assert.equal((await runAudit(parts, "incremental")).exact, true);

  await parts.books.accounts.collection.updateOne({ _id: accountId as never }, { $inc: { available: 1n } });
  assert.match((await runAudit(parts, "incremental")).faults.join(), /but its rows add up to/);
  await parts.books.accounts.collection.updateOne({ _id: accountId as never }, { $inc: { available: -1n } });
  await rows.deleteOne(rowOf(last.requestId));
  await ledger.settle({ events: [usage({ accountId, grantId })] });
  assert.equal((await runAudit(parts, "whole")).exact, false);
});

test("a changed, lost or wrongly signed checkpoint is reported, and its account is audited from its first row", async () => {
  await using backend = await openBackend();
  const { parts } = backend;
  const { checkpoints } = parts.own;
  const { accountId } = await busyAccount(backend);
  await runAudit(parts, "whole");
  const found = await checkpoints.findOne({ _id: accountId });
  assert.ok(found !== null);
  // Changing a balance and the checkpoint alike is detected: the MAC does not match.
  await parts.books.accounts.collection.updateOne(
    { _id: accountId as never },
    { $inc: { available: 7n, toppedUp: 7n } },
  );
  const richer = found.proof.replaceAll(
    /"(available|toppedUp)":"(\d+)"/g,
    (_, name, n) => `"${name}":"${Number(n) + 7}"`,
  );
  assert.notEqual(richer, found.proof);
  await checkpoints.updateOne({ _id: accountId }, { $set: { proof: richer } });
  const forged = await runAudit(parts, "incremental");
  assert.match(forged.notices.join(), /has a checkpoint that the auditor did not make: it was read from its first row/);
  assert.match(forged.faults.join(), /has \d+ available, but its rows add up to/);
  await parts.books.accounts.collection.updateOne(
    { _id: accountId as never },
    { $inc: { available: -7n, toppedUp: -7n } },
  );
  const mended = await runAudit(parts, "incremental");
  assert.deepEqual([mended.exact, mended.rows], [true, 5]);

  await checkpoints.deleteMany({});
  const lost = await runAudit(parts, "incremental");
  assert.match(lost.notices.join(), /has lost its checkpoint/);
  assert.deepEqual([lost.exact, lost.rows], [true, 5]);

  const other = "b8".repeat(32);
  const strange = await runAudit({ ...parts, keys: keyringOf(other) }, "incremental");
  assert.match(strange.notices.join(), /under an unknown key/);
  const known = await runAudit({ ...parts, keys: keyringOf("c9".repeat(32), [other]) }, "incremental");
  assert.deepEqual([known.notices, known.rows], [[], 0]);
  // That audit has signed every checkpoint anew: the old key may be forgotten.
  const forgotten = await runAudit({ ...parts, keys: keyringOf("c9".repeat(32)) }, "incremental");
  assert.deepEqual([forgotten.notices, forgotten.rows], [[], 0]);
});

test("accepts a repair of an unpriced request after the checkpoint, and reports a repair of a priced one", async () => {
  await using backend = await openBackend();
  const { parts, ledger } = backend;
  const { accountId, events } = await busyAccount(backend);
  const unpriced = usage({ accountId, pricing: Pricing.UNPRICED });
  await ledger.settle({ events: [unpriced] });
  await runAudit(parts, "whole");
  // Billing's own repair goes through its catalogue; this test only needs its row.
  const { repairOperation } = await import("@uag/ledger/rules/repair");
  const { createAccountQueue } = await import("@uag/billing/store/queue");
  const { createSequence } = await import("@uag/billing/store/sequence");
  const { KeyedMutex } = await import("@uag/runtime/concurrency/keyed-mutex");
  const queue = createAccountQueue({
    grantLocks: new KeyedMutex(),
    store: parts.books,
    clock: { moment: async () => Date.now() },
    sequence: createSequence(),
    onFunds: () => undefined,
    onRetry: () => undefined,
    unblock: async () => undefined,
  });
  await queue.submit(repairOperation({ ...unpriced, pricing: Pricing.EXACT, costNanoUsd: 9n }));
  const repaired = await runAudit(parts, "incremental");
  assert.deepEqual([repaired.faults, repaired.rows], [[], 1]);
  await queue.submit(repairOperation({ ...(events[0] as (typeof events)[0]), costNanoUsd: 9n }));
  assert.match((await runAudit(parts, "incremental")).faults.join(), /repairs a request that was priced/);
});

test("audits from checkpoint to checkpoint are exact while grants are acquired, charged and returned", async () => {
  await using backend = await openBackend();
  const accountIds = [await backend.fund(1_000_000n), await backend.fund(1_000_000n)];
  let running = true;
  const traffic = [0, 1, 2, 3].map(async (n) => {
    const accountId = accountIds[n % 2] ?? "";
    for (let turn = 0; running; turn++) {
      const { grantId } = await backend.grants.acquire(acquireFields(accountId, 100n, `h${n}`));
      const events = [
        usage({ accountId, grantId, costNanoUsd: turn % 3 === 0 ? 15n : 5n }),
        usage({ accountId, grantId }),
      ];
      await backend.ledger.settle({ events });
      await backend.grants.return({
        grantId,
        sequence: 1,
        amountNanoUsd: 0n,
        close: true,
        spentNanoUsd: turn % 3 === 0 ? 15n : 10n,
      });
    }
  });
  let rows = 0;
  try {
    for (let i = 0; i < 8; i++) {
      const verdict = await runAudit(backend.parts, "incremental");
      assert.deepEqual(verdict.faults, []);
      rows += verdict.rows;
    }
  } finally {
    running = false;
    await Promise.all(traffic);
  }
  rows += (await runAudit(backend.parts, "incremental")).rows;
  const whole = await runAudit(backend.parts, "whole");
  assert.deepEqual(whole.faults, []);
  assert.equal(rows, whole.rows, "each row was read once");
});

test("the auditor reports its verdict as metrics, health and exit status", async () => {
  await using backend = await openBackend();
  const { accountId } = await busyAccount(backend);
  await using auditor = await startService({ ...backend.env, AUDIT_EVERY_MS: "1000" });
  const get = async (path: string) => await fetch(`http://127.0.0.1:${auditor.adminPort}${path}`);
  const shows = (pattern: RegExp) => async () => pattern.test(await (await get("/metrics")).text());
  await waitFor(shows(/^uag_audit_exact\{[^}]*\} 1$/m), { what: "an exact verdict" });
  await waitFor(shows(/^uag_audit_last_run_timestamp_seconds\{kind="incremental",[^}]*\} \d+/m), {
    what: "an incremental audit",
  });
  assert.equal((await get("/health/ready")).status, 200);
  await backend.parts.books.accounts.collection.updateOne({ _id: accountId as never }, { $inc: { held: 1n } });
  await waitFor(shows(/^uag_audit_exact\{[^}]*\} 0$/m), { what: "another verdict" });
  const health = await get("/health/ready");
  assert.equal(health.status, 503);
  assert.match(await health.text(), /The books are not exact\. Account acct_/);
  const main = join(import.meta.dirname, "../src/main.ts");
  const once = () =>
    new Promise<number>((resolve) => {
      execFile(process.execPath, [main, "--once"], { env: { ...process.env, ...backend.env } }, (error) =>
        resolve(error === null ? 0 : Number(error.code)),
      );
    });
  assert.equal(await once(), 1);
  await backend.parts.books.accounts.collection.updateOne({ _id: accountId as never }, { $inc: { held: -1n } });
  assert.equal(await once(), 0);
});

test("deletes ended grants only after an exact audit; a repeated bill is charged once, a late one to the available balance", async () => {
  await using backend = await openBackend();
  const { parts, ledger, grants } = backend;
  const { accountId, grantId, events } = await busyAccount(backend);
  await grants.return({ grantId, sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd: 15n });
  const open = await grants.acquire(acquireFields(accountId, 50n));
  await grants.closeHolder({ holderId: "other" });
  const { books, own } = parts;
  await books.holders.collection.updateOne(
    { _id: "other" as never },
    { $set: { state: "gone", closedAt: new Date(1) } },
  );
  const options = {
    store: books,
    clock: { moment: async () => Date.now() },
    auditDatabase: own.connection.name,
    keepMs: 0,
    envelopeKeepMs: 0,
  };
  assert.deepEqual(await prune(options), { grants: 0, holders: 0, envelopes: 0 }, "no audit covered it");
  await books.accounts.collection.updateOne({ _id: accountId as never }, { $inc: { held: 1n } });
  await runAudit(parts, "whole");
  assert.deepEqual(await prune(options), { grants: 0, holders: 0, envelopes: 0 }, "the audit found a fault");
  await books.accounts.collection.updateOne({ _id: accountId as never }, { $inc: { held: -1n } });
  await runAudit(parts, "whole");
  assert.deepEqual(
    await prune({ ...options, keepMs: 3_600_000 }),
    { grants: 0, holders: 1, envelopes: 0 },
    "it is too young",
  );
  assert.deepEqual(await prune(options), { grants: 1, holders: 0, envelopes: 0 });
  assert.equal(await books.grants.countDocuments({ _id: open.grantId }), 1, "a live grant stays");

  const charged = async () => (await backend.accounts.getAccount({ id: accountId })).chargedNanoUsd;
  assert.equal(await charged(), 15n);
  const again = await ledger.settle({ events });
  assert.deepEqual(
    again.settled.map((one) => [one.new, one.chargedNanoUsd]),
    events.map(() => [false, 5n]),
  );
  const late = usage({ accountId, grantId });
  assert.equal((await ledger.settle({ events: [late, ...events] })).settled.filter((one) => one.new).length, 1);
  assert.equal(await charged(), 20n);
  for (const kind of ["incremental", "whole"] as const) assert.deepEqual((await runAudit(parts, kind)).faults, []);
});

test("a result dated in the future by a wrong clock does not delay the next audit", async () => {
  await using backend = await openBackend();
  await backend.fund(100n);
  const { parts } = backend;
  const periods = { AUDIT_EVERY_MS: 3_600_000, AUDIT_WHOLE_EVERY_MS: 86_400_000 };
  const ahead = { ...parts, clock: { moment: async () => Date.now() + 400 * 86_400_000 } };
  await runAudit(ahead, "whole");
  assert.deepEqual(await nextDue(parts, periods), { kind: "whole", inMs: 0 });
  await runAudit(parts, "whole");
  const { kind, inMs } = await nextDue(parts, periods);
  assert.equal(kind, "incremental");
  assert.ok(inMs > 3_000_000, `the next audit is due in ${inMs} ms`);
});
