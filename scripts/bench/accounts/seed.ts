import { newAccount } from "@uag/billing/rpc/create-account";
import { newKey } from "@uag/billing/rpc/create-key";
import { commitLines } from "@uag/billing/store/commit";
import { createSequence } from "@uag/billing/store/sequence";
import { connectBooks } from "@uag/ledger/documents/connection";
import { openStore } from "@uag/ledger/documents/store";
import { topUpOperation } from "@uag/ledger/rules/top-up";
import { generateKey } from "@uag/runtime/api-key";
import { newId } from "@uag/runtime/ids";
import { keyringOf } from "@uag/runtime/keyring";

const atOnce = 500;
const balanceNanoUsd = 1_000_000_000_000n;

interface SeedOptions {
  readonly mongodbUrl: string;
  /** Hex. */
  readonly pepper: string;
  readonly count: number;
}

/**
 * Creates accounts with money and a key each through billing's own code, hundreds per transaction,
 * and returns the keys. Their money is in the ledger, so an audit finds no difference.
 */
export async function seedAccounts(options: SeedOptions): Promise<string[]> {
  const connection = await connectBooks({ url: options.mongodbUrl, database: "billing" });
  const store = await openStore(connection);
  const sequence = createSequence();
  const clock = { moment: async () => Date.now() };
  const { current: pepper } = keyringOf(options.pepper);
  const ignore = (): void => undefined;
  const committing = { connection, store, clock, sequence, onRetry: ignore, unblock: async () => undefined };
  const secrets: string[] = [];
  for (let n = 0; n < options.count; n += atOnce) {
    const ids = Array.from({ length: Math.min(atOnce, options.count - n) }, (_, i) => `acct_bench_${n + i}`);
    await store.accounts.collection.insertMany(ids.map((_id) => ({ _id, ...newAccount(_id, Date.now()) })) as never[]);
    const amount = { amount: balanceNanoUsd, reference: "bench", note: "" };
    const lines = ids.map((accountId) => ({ accountId, operations: [topUpOperation({ accountId, ...amount })] }));
    await commitLines(committing, lines, false);
    const keys = ids.map((accountId) => {
      const secret = generateKey();
      secrets.push(secret);
      const requested = { accountId, name: "bench", models: [], limits: undefined, expiresAtMs: 0n };
      return newKey(requested, { secret, pepper, createdAt: new Date() });
    });
    await store.keys.collection.insertMany(keys as never[]);
  }
  await connection.close();
  return secrets;
}

/**
 * Creates keys of one account of `seedAccounts`, and a budget that they share, which covers all
 * their requests; returns the keys.
 */
export async function seedKeys(
  options: SeedOptions & { readonly accountId: string; readonly shareBudget: boolean },
): Promise<string[]> {
  const { accountId, count, shareBudget } = options;
  const connection = await connectBooks({ url: options.mongodbUrl, database: "billing" });
  const store = await openStore(connection);
  const { current: pepper } = keyringOf(options.pepper);
  const budgetId = newId("budget");
  const createdAt = new Date();
  const terms = { name: "bench", amount: balanceNanoUsd, period: "month", hard: true } as const;
  if (shareBudget) await store.budgets.create({ _id: budgetId, accountId, chain: [budgetId], createdAt, ...terms });
  const secrets = Array.from({ length: count }, generateKey);
  const requested = { accountId, name: "bench", models: [], limits: undefined, expiresAtMs: 0n };
  const keys = secrets.map((secret) => ({
    ...newKey(requested, { secret, pepper, createdAt }),
    ...(shareBudget && { budgetIds: [budgetId] }),
  }));
  await store.keys.collection.insertMany(keys as never[]);
  await connection.close();
  return secrets;
}
