import { operatorClient } from "@uag/local/operator";
import type { Run } from "@uag/local/run-file";
import { type UsageAdminServiceServer, UsageAdminServiceService } from "@uag/proto/metering/v1/admin.ts";
import { Outcome, Pricing, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { MongoClient } from "mongodb";

/**
 * Settles a request without a price. A model without a price is never served, so the test uses
 * production's way: the event is dead-lettered, and an operator repairs it.
 */
export async function settleUnpriced(run: Run, requestId: string): Promise<void> {
  const now = BigInt(Date.now());
  const event = UsageEvent.fromPartial({
    requestId,
    accountId: run.account_id,
    model: "gpt-4o-mini",
    upstream: "elsewhere",
    operation: "chat.completions",
    startedAtMs: now,
    endedAtMs: now,
    outcome: Outcome.COMPLETED,
    pricing: Pricing.UNPRICED,
  });
  const about = { accountId: run.account_id, requestId, batchId: "b", reason: "from an earlier release" };
  const bytes = Buffer.from(UsageEvent.encode(event).finish());
  await using mongo = new MongoClient(run.mongodb_url);
  const deadLetters = mongo.db("metering").collection<{ _id: string }>("buried");
  await deadLetters.insertOne({ _id: requestId, ...about, event: bytes, buriedAt: new Date() } as never);
  using metering = operatorClient<UsageAdminServiceServer>(run, "metering", UsageAdminServiceService);
  const { refused } = await metering.repairDeadLetter({ id: requestId }, { timeoutMs: 60_000 });
  if (refused !== "") throw new Error(refused);
}
