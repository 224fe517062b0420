import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { GrantServiceServer } from "@uag/proto/billing/v1/grants.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { JournalClosed } from "./journal/journal.ts";
import { encodeFinal } from "./records.ts";
import { outOfReach, refusalOf } from "./refusals.ts";
import type { SessionDependencies } from "./session-dependencies.ts";
import type { Succession } from "./succession.ts";
import type { AdmitTask, TaskGrant } from "./types.ts";
import { isFenced } from "./wallet/account.ts";

const acquireTimeoutMs = 5_000;

/**
 * Moves a task's money from available to held, bound to the task rather than to this process.
 * Repeating it for the same task returns the same grant, from any process.
 * @throws {GatewayError} `insufficient_balance`, `budget_exceeded`, `unpaid_usage`;
 * `already_exists` when its grant is closed; `permission_denied` when this holder is fenced;
 * `service_unavailable`
 */
async function acquireForTask(
  billing: RpcClient<GrantServiceServer>,
  holderId: string,
  task: AdmitTask,
): Promise<TaskGrant> {
  const { accountId, keyId, budgetIds } = task.purse;
  const response = await billing.acquire(
    {
      holderId,
      accountId,
      keyId,
      budgetIds,
      needNanoUsd: task.holdNanoUsd,
      wantNanoUsd: task.holdNanoUsd,
      requestId: `task:${task.requestId}`,
      taskUntilMs: BigInt(task.untilMs),
    },
    { timeoutMs: acquireTimeoutMs, affinity: accountId },
  );
  if (response.insufficient) throw refusalOf(response, task.holdNanoUsd);
  return { id: response.grantId, envelopeRemaining: response.envelopeLeftNanoUsd };
}

/** What tasks need from their process. */
interface TaskSession {
  readonly dependencies: Pick<SessionDependencies, "billing">;
  readonly succession: Pick<Succession, "live" | "succeed">;
}

/**
 * Finds a task's grant, or creates it: see {@link acquireForTask}. If the holder turns out to be
 * fenced, a new session takes over.
 * @throws {GatewayError} see there
 */
export async function findTaskGrant({ dependencies, succession }: TaskSession, task: AdmitTask): Promise<TaskGrant> {
  if (task.holdNanoUsd <= 0n) return { id: "" };
  for (let tries = 0; ; tries++) {
    const session = await succession.live();
    try {
      return await acquireForTask(dependencies.billing, session.holderId, task);
    } catch (error) {
      if (!(error instanceof GatewayError) || !isFenced(error)) throw error;
      if (tries > 0) throw outOfReach(error);
      succession.succeed(session);
    }
  }
}

/**
 * Writes a task's final to disk and closes its grant. @throws {GatewayError} or the disk's error:
 * call it again
 */
export async function settleTask(session: TaskSession, event: UsageEvent): Promise<void> {
  await journalTask(session.succession, event);
  await closeTaskGrant(session.dependencies.billing, event);
}

/**
 * Writes a task's final into this process's journal, from where it is published like any other. The
 * event names this holder, because adopting a journal closes every holder that it mentions.
 */
async function journalTask(succession: Pick<Succession, "live">, event: UsageEvent): Promise<void> {
  for (;;) {
    const { holderId, journal } = await succession.live();
    try {
      await journal.append(encodeFinal({ ...event, holderId }));
      return;
    } catch (error) {
      // That holder was retiring; its successor takes the final.
      if (!(error instanceof JournalClosed)) throw error;
    }
  }
}

/** Closes a task's grant and frees what its final does not need. Idempotent. */
async function closeTaskGrant(billing: RpcClient<GrantServiceServer>, event: UsageEvent): Promise<void> {
  if (event.grantId === "") return;
  const { costNanoUsd, holdNanoUsd } = event;
  const isCovered = costNanoUsd <= holdNanoUsd;
  const spentNanoUsd = isCovered ? costNanoUsd : holdNanoUsd;
  try {
    const { accountId, grantId } = event;
    const closing = { accountId, grantId, sequence: 1, amountNanoUsd: 0n, close: true, spentNanoUsd };
    await billing.return(closing, { affinity: accountId });
  } catch (error) {
    // A grant unknown to billing needs no closing.
    if (!(error instanceof GatewayError) || error.code !== "not_found") throw error;
  }
}
