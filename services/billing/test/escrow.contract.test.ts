import assert from "node:assert/strict";
import { test } from "node:test";
import { ownClock } from "@uag/harness/own-clock";
import { openStore, type Store } from "@uag/ledger/documents/store";
import { acquireOperation } from "@uag/ledger/rules/acquire";
import { finishOperation, returnOperation } from "@uag/ledger/rules/return";
import { settleOperation } from "@uag/ledger/rules/settle";
import { topUpOperation } from "@uag/ledger/rules/top-up";
import { KeyedMutex } from "@uag/runtime/concurrency/keyed-mutex";
import { newId } from "@uag/runtime/ids";
import { createConnection, type mongo } from "mongoose";
import { createRegister } from "../src/grants/holders.ts";
import { createAccountQueue } from "../src/store/queue.ts";
import { createSequence } from "../src/store/sequence.ts";
import { commitToGrants } from "../src/store/settle-grants.ts";
import { acquireFields, type Clients, faults, fund, type Scratch, scratch, startBilling, usage } from "./harness.ts";

const count = 12;

async function fundMany(clients: Clients): Promise<string[]> {
  return await Promise.all(Array.from({ length: count }, () => fund(clients, 1_000n)));
}

interface Watched extends AsyncDisposable {
  readonly store: Store;
  /** What was sent to the database since the last call. */
  commands(): mongo.CommandStartedEvent[];
}

/** The books over a connection that records its commands. */
async function watch(db: Scratch): Promise<Watched> {
  const url = db.env["MONGODB_URL"] as string;
  const dbName = db.env["MONGODB_DATABASE"] as string;
  const options = {
    dbName,
    monitorCommands: true,
    useBigInt64: true,
    promoteBuffers: true,
    autoIndex: false,
    autoCreate: false,
  };
  const connection = await createConnection(url, options).asPromise();
  const seen: mongo.CommandStartedEvent[] = [];
  connection.getClient().on("commandStarted", (event) => seen.push(event));
  return {
    store: await openStore(connection),
    commands: () => seen.splice(0),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

const quiet = { onRetry: () => undefined, unblock: async () => undefined, onFunds: () => undefined };

/** What a command filters by or writes, each with the collection's shard key if it has one. */
function targets({ command }: mongo.CommandStartedEvent): object[] {
  const { filter, updates, documents, pipeline, query } = command;
  if (filter ?? query) return [filter ?? query];
  return updates?.map(({ q }: { q: object }) => q) ?? documents ?? (pipeline ? [pipeline[0].$match] : []);
}

test("charges usage of many accounts in one transaction that writes to none of them, and their balances are exact at once", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  await using watched = await watch(db);
  const ids = await fundMany(billing);
  const grants = await Promise.all(
    ids.map((accountId) => billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 100n }))),
  );
  const before = await watched.store.accounts.find().lean();
  const events = ids.map((accountId, i) =>
    usage({ accountId, grantId: grants[i]!.grantId, costNanoUsd: BigInt(i), holdNanoUsd: 60n }),
  );
  const { settled } = await billing.ledger.settle({ events: [...events, ...events] });
  assert.deepEqual([settled.length, settled.filter((one) => one.new).length], [count, count]);
  assert.deepEqual(await watched.store.accounts.find().lean(), before);
  const { accounts } = await billing.accounts.listAccounts({ page: { limit: 100, cursor: "" } });
  const charged = new Map(accounts.map((account) => [account.id, account.chargedNanoUsd]));
  assert.deepEqual(
    ids.map((id) => charged.get(id)),
    ids.map((_, i) => BigInt(i)),
  );
  assert.deepEqual(await faults(billing), []);

  const again = await billing.ledger.settle({ events });
  assert.ok(again.settled.every((one, i) => !one.new && one.chargedNanoUsd === BigInt(i)));
  await billing.grants.closeHolder({ holderId: "h" });
  const last = await billing.accounts.getAccount({ id: ids[11] as string });
  assert.deepEqual([last.availableNanoUsd, last.heldNanoUsd, last.chargedNanoUsd], [989n, 0n, 11n]);
  assert.deepEqual(await faults(billing), []);
});

test("charges a cost beyond its hold, or after its grant's end, to the account, in the same batch as others", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1_000n);
  const { grantId } = await billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 100n }));
  const of = (costNanoUsd: bigint, holdNanoUsd: bigint, grant = grantId) =>
    usage({ accountId, grantId: grant, costNanoUsd, holdNanoUsd });
  const { settled } = await billing.ledger.settle({
    events: [of(10n, 20n), of(50n, 20n), of(7n, 9n, "gone"), of(5n, 9n)],
  });
  assert.equal(
    settled.reduce((sum, one) => sum + one.chargedNanoUsd, 0n),
    72n,
  );
  const state = async () => {
    const { availableNanoUsd, heldNanoUsd, chargedNanoUsd } = await billing.accounts.getAccount({ id: accountId });
    return [availableNanoUsd, heldNanoUsd, chargedNanoUsd];
  };
  assert.deepEqual(await state(), [863n, 65n, 72n]);
  assert.deepEqual(await faults(billing), []);
  const close = { grantId, accountId, sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd: 35n };
  await billing.grants.return(close);
  assert.deepEqual(await state(), [928n, 0n, 72n]);
  assert.deepEqual(await faults(billing), []);
});

test("a stopping replica first finishes the grants whose last usage it has just settled", async () => {
  await using db = scratch();
  await using watched = await watch(db);
  const billing = await startBilling(db.env);
  const ids = await fundMany(billing);
  const grants = await Promise.all(
    ids.map((accountId) => billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 100n }))),
  );
  const close = { sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd: 60n };
  await Promise.all(
    grants.map(({ grantId }, i) => billing.grants.return({ grantId, accountId: ids[i] as string, ...close })),
  );
  const last = { costNanoUsd: 60n, holdNanoUsd: 60n };
  await billing.ledger.settle({
    events: ids.map((accountId, i) => usage({ accountId, grantId: grants[i]!.grantId, ...last })),
  });
  await billing[Symbol.asyncDispose]();
  const left = await watched.store.grants.find().lean();
  assert.deepEqual(
    left.map(({ state }) => state),
    ids.map(() => "finished"),
  );
});

test("with FOLD off for older replicas, every charge is in its account's own columns at once", async () => {
  await using db = scratch({ SETTLE_FROM_GRANTS: "off" });
  await using billing = await startBilling(db.env);
  await using watched = await watch(db);
  const accountId = await fund(billing, 1_000n);
  const { grantId } = await billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 100n }));
  await billing.ledger.settle({ events: [usage({ accountId, grantId, costNanoUsd: 10n, holdNanoUsd: 20n })] });
  const [row] = await watched.store.accounts.find().lean();
  assert.deepEqual([row?.held, row?.charged], [90n, 10n]);
  assert.deepEqual(await faults(billing), []);
});

test("accepts many returns in one call, and a rejected one does not affect the others", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const ids = await fundMany(billing);
  const grants = await Promise.all(
    ids.map((accountId) => billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 100n }))),
  );
  const returns = grants.map(({ grantId }, i) => ({
    grantId,
    accountId: ids[i] as string,
    sequence: 1,
    close: false,
    spentNanoUsd: 0n,
    amountNanoUsd: i === 7 ? 101n : 30n,
  }));
  const { outcomes } = await billing.grants.returnMany({ returns });
  assert.deepEqual(
    outcomes.flatMap(({ refused, again }, i) => (refused !== "" || again ? [i] : [])),
    [7],
  );
  const accounts = await Promise.all(ids.map((id) => billing.accounts.getAccount({ id })));
  assert.deepEqual(new Set(accounts.map(({ heldNanoUsd }) => heldNanoUsd)), new Set([70n, 100n]));
  assert.deepEqual(await faults(billing), []);
});

test("commits operations of many accounts together, and no statement on the money path would query all shards", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  await using watched = await watch(db);
  const { store } = watched;
  const ids = await fundMany(billing);
  const commits = { store, ...quiet, clock: ownClock, sequence: createSequence() };
  const queue = createAccountQueue({ ...commits, grantLocks: new KeyedMutex() });
  await createRegister(store, 60_000)("h");
  const limits = { requestsPerMinute: 0n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: 500n };
  const keys = await Promise.all(
    ids.map((accountId) => billing.keys.createKey({ accountId, name: "", models: [], limits, expiresAtMs: 0n })),
  );
  const all = <A>(work: (accountId: string, index: number) => Promise<A>) => Promise.all(ids.map(work));
  watched.commands();
  const acquired = await all((accountId, i) =>
    queue.submit(
      acquireOperation({
        grantId: newId("gr"),
        holderId: "h",
        accountId,
        keyId: keys[i]?.key?.id ?? "",
        requestId: newId("acq"),
        need: 100n,
        want: 100n,
        taskUntilMs: 0,
        budgetIds: [],
        share: 4n,
        writeOffLimit: 0n,
      }),
    ),
  );
  const first = watched.commands();
  assert.ok(first.filter(({ commandName }) => commandName === "commitTransaction").length <= 3);
  const grantIds = acquired.map((one) => (one.kind === "granted" ? one.grant.id : ""));
  const eventsOf = (cost: bigint) =>
    ids.map((accountId, i) =>
      usage({ accountId, grantId: grantIds[i] as string, costNanoUsd: cost, holdNanoUsd: 50n }),
    );
  const covered = eventsOf(10n);
  await commitToGrants(commits, covered);
  await commitToGrants(commits, covered);
  const beyond = eventsOf(60n);
  await all((accountId, i) => queue.submit(settleOperation(accountId, [beyond[i]!])));
  await all((accountId, i) =>
    queue.submit(
      returnOperation({ grantId: grantIds[i] as string, accountId, sequence: 1, amount: 0n, close: true, spent: 60n }),
    ),
  );
  await all((accountId, i) => queue.submit(finishOperation({ grantId: grantIds[i] as string, accountId })));
  await all((accountId) => queue.submit(topUpOperation({ accountId, amount: 1n, reference: "r", note: "" })));
  const money = new Set(["accounts", "grants", "ledger", "spending", "keys"]);
  const sent = [...first, ...watched.commands()].filter(({ commandName, command }) => money.has(command[commandName]));
  assert.ok(sent.length > 20);
  for (const event of sent) {
    for (const target of targets(event) as Record<string, unknown>[]) {
      const collection = event.command[event.commandName];
      const carries = "accountId" in target || (collection === "accounts" && "_id" in target);
      const named = collection === "spending" && JSON.stringify(target["_id"]).includes("acct_");
      assert.ok(carries || named, `${event.commandName} ${collection} ${JSON.stringify(target["_id"] ?? target)}`);
    }
  }
  assert.deepEqual(await faults(billing), []);
});

test("commits returns of grants that are charged concurrently at the first attempt", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const rounds = 20;
  const accountId = await fund(billing, 1_000_000n);
  const granted = await Promise.all(
    Array.from({ length: count }, () =>
      billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 1_000n })),
    ),
  );
  for (let sequence = 1; sequence <= rounds; sequence++) {
    const returns = granted.map(({ grantId }) => ({
      grantId,
      accountId,
      sequence,
      close: false,
      amountNanoUsd: 1n,
      spentNanoUsd: 0n,
    }));
    const events = granted.map(({ grantId }) => usage({ accountId, grantId, costNanoUsd: 2n, holdNanoUsd: 3n }));
    const [{ outcomes }] = await Promise.all([
      billing.grants.returnMany({ returns }),
      billing.ledger.settle({ events }),
    ]);
    assert.ok(outcomes.every(({ refused, again }) => refused === "" && !again));
  }
  const account = await billing.accounts.getAccount({ id: accountId });
  assert.equal(account.chargedNanoUsd, BigInt(rounds * count * 2));
  assert.equal(account.heldNanoUsd, BigInt(count * (1_000 - rounds * 3)));
  const metrics = await (await fetch(`http://127.0.0.1:${billing.adminPort}/metrics`)).text();
  const [, retries] = /^uag_billing_transaction_retries_total\S* (\d+)$/m.exec(metrics) ?? [];
  assert.equal(retries, "0");
  assert.deepEqual(await faults(billing), []);
});
