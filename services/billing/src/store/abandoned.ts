import { endAbandonedTransactions } from "@uag/mongo/abandoned-transactions.ts";
import type { Connection } from "mongoose";

const everyMs = 250;

/**
 * Ends transactions that killed billing processes left open, and with them the hold on the accounts they have written to.
 * @returns a function that answers how many it ended; it looks at most four times a second.
 */
export function createUnblocker(connection: Connection): () => Promise<number> {
  let lastLook = Number.NEGATIVE_INFINITY;
  const owner = { service: "billing", database: connection.name };
  return async () => {
    if (performance.now() - lastLook < everyMs) return 0;
    lastLook = performance.now();
    return await endAbandonedTransactions(connection.getClient().db("admin"), owner);
  };
}
