import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type Acquired, type AcquireGrant, acquireOperation } from "@uag/ledger/rules/acquire";
import type { ExceededBudget } from "@uag/ledger/rules/budget";
import { larger, maxAmount } from "@uag/ledger/rules/money";
import type { AcquireRequest, AcquireResponse } from "@uag/proto/billing/v1/grants.ts";
import { newId } from "@uag/runtime/ids";
import type { Billing } from "../billing.ts";

const maxIdLength = 200;

function check(request: AcquireRequest): void {
  const invalid = (param: string, text: string) => new GatewayError("invalid_request", text, { param });
  for (const [param, id] of [
    ["holder_id", request.holderId],
    ["request_id", request.requestId],
  ] as const) {
    if (id === "" || id.length > maxIdLength) throw invalid(param, "An id must have 1 to 200 characters.");
  }
  if (request.needNanoUsd < 1n || request.needNanoUsd > maxAmount) {
    throw invalid("need_nano_usd", "The need must be a positive amount.");
  }
  if (request.wantNanoUsd > maxAmount) throw invalid("want_nano_usd", "The want is too large.");
  if (request.taskUntilMs < 0n || request.taskUntilMs > 8_640_000_000_000_000n) {
    throw invalid("task_until_ms", "The time is invalid.");
  }
}

function exceededMessage(budget: ExceededBudget | undefined) {
  if (budget === undefined) return undefined;
  const { id, name, resetsAtMs, envelope, endUser } = budget;
  return { id, name, resetsAtMs: BigInt(resetsAtMs), envelope, endUser };
}

/** Tries to acquire; while other holders may return money, recalls it and retries. */
async function acquirePatiently(billing: Billing, requested: AcquireGrant): Promise<Acquired> {
  const { queue, funds, refusals, events, settings } = billing;
  const refused = await refusals.still(requested.accountId, requested.need);
  if (refused !== undefined) return refused;
  const deadline = performance.now() + settings.recallWaitMs;
  for (;;) {
    const acquired = await queue.submit(acquireOperation(requested));
    const timeoutMs = deadline - performance.now();
    if (acquired.kind === "granted") return acquired;
    if (acquired.held === 0n || timeoutMs <= 0) {
      refusals.note(requested.accountId);
      return acquired;
    }
    if (billing.recall(requested.accountId)) events.recalled(requested.accountId);
    await funds.wait({ accountId: requested.accountId, need: requested.need, timeoutMs });
  }
}

/** Grants money ahead of need, or reports that there is too little. */
export async function acquire(billing: Billing, request: AcquireRequest): Promise<AcquireResponse> {
  check(request);
  billing.clock.requireInStep();
  const { holderId, accountId } = request;
  await billing.register(holderId);
  const acquired = await acquirePatiently(billing, {
    grantId: newId("gr"),
    holderId,
    accountId,
    keyId: request.keyId,
    budgetIds: request.budgetIds,
    requestId: request.requestId,
    need: request.needNanoUsd,
    want: larger(request.needNanoUsd, request.wantNanoUsd),
    taskUntilMs: Number(request.taskUntilMs),
    share: billing.settings.grantShare,
    writeOffLimit: billing.settings.writeOffLimit,
  }).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code === "permission_denied") billing.events.fenced(holderId);
    throw error;
  });
  billing.events.acquired({ accountId, holderId, acquired });
  const granted = acquired.kind === "granted";
  return {
    grantId: granted ? acquired.grant.id : "",
    amountNanoUsd: granted ? acquired.grant.amount : 0n,
    availableNanoUsd: acquired.available,
    scarce: granted ? acquired.scarce : true,
    insufficient: !granted,
    budgetExceeded: acquired.kind === "insufficient" && acquired.budgetExceeded,
    owedNanoUsd: acquired.kind === "insufficient" ? acquired.owed : 0n,
    envelopeLeftNanoUsd: acquired.envelopeLeft,
    exceededBudget: acquired.kind === "insufficient" ? exceededMessage(acquired.exceededBudget) : undefined,
  };
}
