/**
 * npm run bench -- --scenario budgets: the rate of the keys of one account, with and without a
 * budget that all of them share.
 */
import { connections, measureJob, type Row, render, startMeasured } from "./bench.ts";
import { seedAccounts, seedKeys } from "./seed.ts";

const keyCount = 10_000;
const seconds = 12;
/** By turns, so that what changes on the machine concerns both. */
const rounds = 3;

/** Prints a table. Throws if the ledger is not exact at the end. */
export async function benchBudgets(signal: AbortSignal): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const parts = await startMeasured(stack, 1, signal);
  const { endpoint, seeds } = parts;
  process.stderr.write(`making two accounts with ${keyCount} keys each\n`);
  await seedAccounts({ ...seeds, count: 2 });
  const keysOf = (accountId: string, shareBudget: boolean): Promise<string[]> =>
    seedKeys({ ...seeds, accountId, count: keyCount, shareBudget });
  const [alone, shared] = [await keysOf("acct_bench_0", false), await keysOf("acct_bench_1", true)];
  const job = (keys: string[]) => ({ kind: "closed", endpoint, connections, seconds, keys }) as const;
  // The router's caches are warm before the first row.
  for (const keys of [alone, shared]) await measureJob(parts, "warm", job(keys));
  const rows: Row[] = [];
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`measuring, round ${round} of ${rounds}\n`);
    rows.push(await measureJob(parts, "none", job(alone)));
    rows.push(await measureJob(parts, "one shared budget", job(shared)));
  }
  const reported = await parts.check();
  const title = `${keyCount} keys of one account; ${connections} connections, small completions`;
  return `${title}\n\n${render(rows, { of: "budget", first: "the first row's" })}\n\n${reported}\n`;
}
