import { GatewayError } from "@uag/kit/errors.ts";
import type { RpcClient } from "@uag/kit/rpc/client.ts";
import type { GrantServiceServer } from "@uag/proto/billing/v1/grants.ts";
import { Pricing, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Incarnation } from "./incarnation.ts";
import { encodeFinal } from "./records.ts";
import { budgetExceeded, insufficientBalance } from "./refusals.ts";
import type { AdmitTask } from "./types.ts";
import { hasBudget } from "./wallet/account.ts";

const acquireTimeoutMs = 5_000;

/**
 * Moves a task's money from available to held, bound to the task and not to this process. Asking again for the same
 * task answers the same grant, whichever process asks.
 * @returns the grant's id
 * @throws {GatewayError} `insufficient_balance`, `permission_denied` when this holder is fenced, `service_unavailable`
 */
export async function acquireForTask(
  billing: RpcClient<GrantServiceServer>,
  holderId: string,
  task: AdmitTask,
): Promise<string> {
  const answer = await billing.acquire(
    {
      holderId,
      accountId: task.caller.accountId,
      keyId: hasBudget(task.caller) ? task.caller.keyId : "",
      needNanoUsd: task.holdNanoUsd,
      wantNanoUsd: task.holdNanoUsd,
      requestId: `task:${task.requestId}`,
      taskUntilMs: BigInt(task.untilMs),
    },
    { timeoutMs: acquireTimeoutMs },
  );
  if (answer.insufficient) {
    const refusal = answer.budgetExceeded ? budgetExceeded : insufficientBalance;
    throw refusal(task.holdNanoUsd, answer.availableNanoUsd);
  }
  return answer.grantId;
}

/**
 * Writes a task's bill into this process's journal: from there it goes the way of every bill. The event names this
 * holder: whoever adopts the journal closes the holders that it speaks of, and only this one may be meant.
 */
export function journalTask(home: Pick<Incarnation, "holderId" | "journal">, event: UsageEvent): Promise<void> {
  return home.journal.append(encodeFinal({ ...event, holderId: home.holderId }));
}

/** Ends a task's grant: what its bill does not need is free at once. Repeating it changes nothing. */
export async function closeTaskGrant(billing: RpcClient<GrantServiceServer>, event: UsageEvent): Promise<void> {
  if (event.grantId === "") return;
  const cost = event.pricing === Pricing.UNPRICED ? 0n : event.costNanoUsd;
  const spentNanoUsd = cost < event.holdNanoUsd ? cost : event.holdNanoUsd;
  try {
    await billing.return({ grantId: event.grantId, sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd });
  } catch (error) {
    // What billing does not know needs no end.
    if (!(error instanceof GatewayError) || error.code !== "not_found") throw error;
  }
}
