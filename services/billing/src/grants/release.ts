import type { Billing } from "../billing.ts";
import type { GrantDocument } from "../store/grants.ts";
import { releaseOperation } from "./return.ts";

type Releasing = Pick<Billing, "store" | "queue" | "events">;

async function release(billing: Releasing, grant: GrantDocument, why: string): Promise<number> {
  const amount = await billing.queue.submit(releaseOperation({ grantId: grant._id, accountId: grant.accountId, why }));
  if (amount === undefined) return 0;
  billing.events.released({ grantId: grant._id, amount, why });
  return 1;
}

/** Takes back what the grants of a holder still hold, those bound to tasks excepted; answers how many there were. */
export async function releaseHolder(billing: Releasing, holderId: string, why: string): Promise<number> {
  let released = 0;
  const grants = billing.store.grants.find({ holderId, live: true, taskUntil: null }).lean<GrantDocument[]>().cursor();
  for await (const grant of grants) released += await release(billing, grant as unknown as GrantDocument, why);
  return released;
}

/** Takes back what is left of the grants of tasks that are overdue by more than the grace. */
export async function releaseOverdueTasks(billing: Releasing, graceMs: number): Promise<number> {
  let released = 0;
  const overdue = { live: true, taskUntil: { $lt: new Date(Date.now() - graceMs) } };
  const grants = billing.store.grants.find(overdue).lean<GrantDocument[]>().cursor();
  for await (const grant of grants) released += await release(billing, grant as unknown as GrantDocument, "overdue");
  return released;
}
