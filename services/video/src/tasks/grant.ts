import type { AdmitTask } from "@uag/admission/types.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { operation } from "../request/read.ts";
import type { TaskDocument } from "../store/task.ts";

/**
 * Between a task's end at the latest and the moment billing may take its money back: time to write
 * the bill.
 */
const graceMs = 2 * 3_600_000;

/**
 * What is asked of admission for a task; the same whoever asks, so that the answer is the same
 * grant.
 */
export function admissionOf(task: TaskDocument, caller?: Caller): AdmitTask {
  const { accountId, keyId, requestId, model, holdNanoUsd, priceVersion } = task;
  return {
    requestId,
    caller: caller ?? Caller.fromPartial({ accountId, keyId }),
    operation,
    model,
    holdNanoUsd,
    tokens: 0,
    priceVersion,
    untilMs: task.expiresAt.getTime() + graceMs,
  };
}
