import { Caller } from "@uag/proto/common/v1/caller.ts";
import type { AdmitTask } from "@uag/usage/types";
import { operation } from "../request/read.ts";
import type { TaskDocument } from "../store/task.ts";

/**
 * Time to write the bill, between a task's latest end and the moment billing may reclaim its money.
 */
export const taskGraceMs = 2 * 3_600_000;

/** The parts of a task's row that its money is found by. */
export type ChargedTask = Pick<
  TaskDocument,
  | "accountId"
  | "keyId"
  | "budgetKeyId"
  | "budgetIds"
  | "requestId"
  | "model"
  | "holdNanoUsd"
  | "priceVersion"
  | "catalogVersion"
  | "expiresAt"
>;

/**
 * The admission request of a task; deterministic, so that every call gets the same grant.
 * @param caller who submits it; omitted to recover it
 */
export function admissionOf(task: ChargedTask, caller?: Caller): AdmitTask {
  const { accountId, keyId, budgetKeyId = "", budgetIds = [] } = task;
  const { requestId, model, holdNanoUsd, priceVersion, catalogVersion } = task;
  return {
    requestId,
    caller: caller ?? Caller.fromPartial({ accountId, keyId }),
    purse: { accountId, keyId: budgetKeyId, budgetIds },
    operation,
    model,
    holdNanoUsd,
    tokens: 0,
    priceVersion,
    catalogVersion,
    untilMs: task.expiresAt.getTime() + taskGraceMs,
  };
}
