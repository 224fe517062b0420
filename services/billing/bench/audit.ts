import { auditBooks } from "@uag/ledger/books/audit-books";
import { openLanes } from "@uag/ledger/books/lanes";
import { connectBooks } from "@uag/ledger/documents/connection";
import { grantDocument } from "@uag/ledger/documents/grants";
import { entryDocument } from "@uag/ledger/documents/ledger";
import { openStore, type Store } from "@uag/ledger/documents/store";
import { acquireOperation } from "@uag/ledger/rules/acquire";
import { type Book, WorkingBook } from "@uag/ledger/rules/book";
import { chainStart } from "@uag/ledger/rules/entry";
import { settleFromGrants } from "@uag/ledger/rules/escrow";
import { noMoney } from "@uag/ledger/rules/money";
import { topUpOperation } from "@uag/ledger/rules/top-up";
import { Outcome, Pricing, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { randomText } from "@uag/runtime/ids";
import { createSequence } from "../src/store/sequence.ts";

/**
 * Measures a full audit of a ledger written by the real ledger code:
 * `TEST_MONGODB_URL=… node services/billing/bench/audit.ts [rows] [accounts] [threads]`
 */
const rows = Number(process.argv[2] ?? 300_000);
const accounts = Number(process.argv[3] ?? 1_000);
const threads = Number(process.argv[4] ?? 2);
const sequence = createSequence();
const million = 1_000_000_000_000n;

function usage(accountId: string, grantId: string, n: number): UsageEvent {
  return UsageEvent.fromPartial({
    requestId: `req_${randomText(18)}${n}`,
    accountId,
    grantId,
    keyId: "key_0abcdefg12345678901234",
    holderId: "hold_0abcdefg1234567890123",
    operation: "chat.completions",
    model: "gpt-4o-mini",
    upstream: "openai",
    upstreamModel: "gpt-4o-mini",
    outcome: Outcome.COMPLETED,
    pricing: Pricing.EXACT,
    startedAtMs: BigInt(Date.now()),
    endedAtMs: BigInt(Date.now()),
    costNanoUsd: 1_000n,
    holdNanoUsd: 2_000n,
    priceVersion: "2026-11-01",
    attempts: 1,
    status: 200,
    stream: true,
    settlementRule: 1,
    units: [
      { name: "input_tokens", quantity: 12n },
      { name: "output_tokens", quantity: 34n },
    ],
    rawUsage: Buffer.from('{"prompt_tokens":12,"completion_tokens":34,"total_tokens":46}'),
  });
}

/** One account with a top-up, a grant and its settled requests. */
async function seedAccount(store: Store, accountId: string, count: number): Promise<void> {
  const empty: Book = {
    account: { id: accountId, money: noMoney, repaid: 0n, seq: 0n, head: chainStart },
    grants: new Map(),
    nextSeq: sequence(Date.now()),
    grantsByRequest: new Map(),
    holders: new Map([["h", "alive" as const]]),
    entries: new Map(),
    budgets: new Map(),
    spent: new Map(),
    nowMs: Date.now(),
  };
  const account = new WorkingBook(empty);
  account.run(topUpOperation({ accountId, amount: million, reference: "r", note: "" }));
  const requested = {
    accountId,
    holderId: "h",
    keyId: "",
    requestId: "a",
    taskUntilMs: 0,
    share: 1n,
    writeOffLimit: 0n,
  };
  const acquired = account.run(
    acquireOperation({ ...requested, grantId: `gr_${accountId}`, need: million, want: million }),
  );
  if (acquired.kind !== "granted") throw new Error("no grant");
  let { grant } = acquired;
  grant = account.grants.get(grant.id) ?? grant;
  await store.ledger.collection.insertMany(account.newEntries.map(entryDocument) as never[]);
  for (let done = 0; done < count; done += 1_000) {
    const events = Array.from({ length: Math.min(1_000, count - done) }, (_, n) => usage(accountId, grant.id, n));
    const book = {
      grants: new Map([[grant.id, grant]]),
      entries: new Map(),
      nowMs: Date.now(),
      nextSeq: sequence(Date.now()),
    };
    const change = settleFromGrants(book, events);
    await store.ledger.collection.insertMany(change.entries.map(entryDocument) as never[], { ordered: false });
    grant = change.grants.get(grant.id) ?? grant;
  }
  const { money, seq, head } = account.account;
  const row = { _id: accountId, name: "", ...money, seq, head, version: 0n, createdAt: new Date() };
  await store.accounts.collection.insertOne(row as never);
  await store.grants.collection.insertOne(grantDocument(grant, Date.now()) as never);
}

const books = { url: process.env["TEST_MONGODB_URL"] ?? "", database: `bench_${randomText(8)}` };
const connection = await connectBooks(books);
const store = await openStore(connection);
const each = Math.ceil(rows / accounts);
for (let n = 0; n < accounts; n += 1) {
  await seedAccount(store, `acct_${String(n).padStart(8, "0")}`, each);
  if ((n + 1) % Math.ceil(accounts / 20) === 0)
    process.stderr.write(`${(n + 1) * each} rows of ${accounts * each} written\n`);
}
await using lanes = openLanes(threads, books);
const [since, cpu] = [performance.now(), process.cpuUsage()];
const { entries, violations } = await auditBooks({ store, lanes });
const seconds = (performance.now() - since) / 1_000;
const { user, system } = process.cpuUsage(cpu);
if (violations.length > 0) throw new Error(violations[0]);
const perSecond = Number(entries) / seconds;
process.stdout.write(
  `${entries} rows of ${accounts} accounts, ${threads} threads, in ${seconds.toFixed(1)} s: ${Math.round(perSecond)} rows/s, ` +
    `${((user + system) / Number(entries)).toFixed(1)} us of this process a row; 10 M would take ${(10_000_000 / perSecond / 60).toFixed(1)} min\n`,
);
await connection.dropDatabase();
await connection.close();
