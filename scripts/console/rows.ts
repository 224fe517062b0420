import { adminApi } from "@uag/cli/commands/admin-api";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { Run } from "@uag/local/run-file";

const keyCount = 1_000;
/** Requests in progress at a time. */
const concurrency = 32;
/** Time for metering to store and settle the requests, milliseconds. */
const settleMs = 300_000;
const models = ["text-embedding-3-small", "text-embedding-3-large"];

interface Totals {
  readonly groups: readonly { readonly total: { readonly requests: number } }[];
}

/** Runs a task for each number below `count`, a few at a time. */
async function times(count: number, task: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Gives the run's account a thousand keys and this many requests, and waits until all are stored. */
export async function makeRows(run: Run, count: number): Promise<void> {
  const api = adminApi(run);
  const account = run.account_id;
  const keys: string[] = [];
  await times(keyCount, async (n) => {
    const { key } = (await api.call("POST", "/keys", { account_id: account, key_alias: `service ${n}` })) as {
      key: string;
    };
    keys.push(key);
  });
  await times(count, async (n) => {
    const response = await fetch(`${run.base_url}/v1/embeddings`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys[n % keys.length]}`, "content-type": "application/json" },
      body: JSON.stringify({ model: models[n % models.length], input: `Order ${n}` }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The request failed with ${response.status}: ${text}`);
  });
  const path = `/usage/series?account=${account}&bucket=day&group_by=none`;
  const stored = async (): Promise<boolean> => {
    const { groups } = (await api.call("GET", path)) as Totals;
    return (groups[0]?.total.requests ?? 0) >= count;
  };
  await waitFor(stored, { timeoutMs: settleMs, everyMs: 1_000, what: `${count} requests in the usage` });
}
