import type { AdmitTask } from "@uag/admission/types.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { operation } from "../request/read.ts";
import type { TaskDocument } from "../store/task.ts";

/**
 * Time to write the bill, between a task's latest end and the moment billing may reclaim its money.
 */
const graceMs = 2 * 3_600_000;

/** The admission request of a task; deterministic, so that every call gets the same grant. */
export function admissionOf(task: TaskDocument, caller?: Caller): AdmitTask {
  const { accountId, keyId, budgetKeyId = "", requestId, model, holdNanoUsd, priceVersion } = task;
  return {
    requestId,
    caller: caller ?? Caller.fromPartial({ accountId, keyId }),
    purse: { accountId, keyId: budgetKeyId },
    operation,
    model,
    holdNanoUsd,
    tokens: 0,
    priceVersion,
    untilMs: task.expiresAt.getTime() + graceMs,
  };
}
