import type { GrantDocument } from "@uag/ledger/documents/grants";
import { releaseOperation } from "@uag/ledger/rules/return";
import type { Billing } from "../billing.ts";

type Releasing = Pick<Billing, "store" | "queue" | "events">;
type Found = Pick<GrantDocument, "_id" | "accountId">;

/** Grants released concurrently, so that the queue commits them in few transactions. */
const atOnce = 500;

async function release(billing: Releasing, grant: Found, why: string): Promise<boolean> {
  const amount = await billing.queue.submit(releaseOperation({ grantId: grant._id, accountId: grant.accountId, why }));
  if (amount === undefined) return false;
  billing.events.released({ grantId: grant._id, amount, why });
  return true;
}

async function releaseAll(billing: Releasing, filter: object, why: string): Promise<number> {
  let released = 0;
  let page: Found[] = [];
  const flush = async (): Promise<void> => {
    const done = await Promise.all(page.map((grant) => release(billing, grant, why)));
    released += done.filter(Boolean).length;
    page = [];
  };
  const grants = billing.store.grants.find(filter, { accountId: 1 }).lean<Found[]>().cursor({ batchSize: atOnce });
  for await (const grant of grants) {
    page.push(grant as unknown as Found);
    if (page.length === atOnce) await flush();
  }
  await flush();
  return released;
}

/**
 * Releases what a holder's grants still hold, except those bound to tasks; returns the number of
 * grants.
 */
export function releaseHolder(billing: Releasing, holderId: string, why: string): Promise<number> {
  return releaseAll(billing, { holderId, live: true, taskUntil: null }, why);
}

/** Releases the rest of task grants that are overdue by more than the grace period. */
export function releaseOverdueTasks(billing: Releasing, graceMs: number): Promise<number> {
  const overdue = { $lt: ["$taskUntil", { $subtract: ["$$NOW", graceMs] }] };
  return releaseAll(billing, { live: true, taskUntil: { $type: "date" }, $expr: overdue }, "overdue");
}
