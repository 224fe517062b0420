import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { EscrowChange } from "@uag/ledger/rules/escrow";
import type { Grant } from "@uag/ledger/rules/grant";
import { finishOperation } from "@uag/ledger/rules/return";
import { type Settlement, settleOperation } from "@uag/ledger/rules/settle";
import type { SettleRequest, SettleResponse } from "@uag/proto/billing/v1/ledger.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { firstOfEachRequest, validateUsageEvent } from "@uag/usage/usage-event";
import type { Billing } from "../billing.ts";

/** Events per transaction: keeps it short. */
const maxBatch = 1_000;
/** Events per operation on one account. */
const maxGroup = 512;

/** @throws {GatewayError} `invalid_request`; `param` names the invalid field */
function check(event: UsageEvent, index: number): void {
  const field = validateUsageEvent(event);
  if (field === undefined) return;
  const param = `events[${index}].${field}`;
  throw new GatewayError("invalid_request", `The event ${event.requestId} has no valid ${field}.`, { param });
}

/**
 * Charges to their accounts what their grants do not cover, along with adjacent events of other
 * accounts.
 */
async function settleFromAccounts(
  billing: Billing,
  events: readonly UsageEvent[],
  named: (accountId: string, error: unknown) => unknown,
): Promise<Settlement[]> {
  const groups: Promise<Settlement[]>[] = [];
  for (const [accountId, own] of Map.groupBy(events, (event) => event.accountId)) {
    for (let i = 0; i < own.length; i += maxGroup) {
      const settling = billing.queue.submit(settleOperation(accountId, own.slice(i, i + maxGroup)));
      groups.push(
        settling.catch((error: unknown) => {
          throw named(accountId, error);
        }),
      );
    }
  }
  const settled = await Promise.allSettled(groups);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

const leftToAccounts = (rest: UsageEvent[]): EscrowChange => ({
  settled: [],
  entries: [],
  grants: new Map(),
  spending: [],
  uncovered: rest,
});

/**
 * Finishes closed grants once their last event is settled. If that fails, they end with their
 * holder.
 */
function finishGrants(billing: Billing, grants: Iterable<Grant>): void {
  for (const { id, accountId, state } of grants) {
    if (state !== "closed") continue;
    billing.queue
      .submit(finishOperation({ grantId: id, accountId }))
      .catch((error: unknown) => billing.events.finishFailed(id, error));
  }
}

/**
 * Charges events to their grants, each exactly once. When the call fails, some may be settled, and
 * repeating it is safe.
 * @throws {GatewayError} `invalid_request` before anything is settled, `not_found` when an account
 * does not exist, `service_unavailable`; `param` names the field at fault.
 */
export async function settle(billing: Billing, request: SettleRequest): Promise<SettleResponse> {
  request.events.forEach(check);
  const events = firstOfEachRequest(request.events);
  const responses: Settlement[] = [];
  /** Names the event whose account does not exist, so that the caller can continue without it. */
  const named = (accountId: string, error: unknown): unknown => {
    if (!(error instanceof GatewayError) || error.code !== "not_found") return error;
    const index = request.events.findIndex((event) => event.accountId === accountId);
    return new GatewayError("not_found", error.message, { param: `events[${index}].account_id` });
  };
  for (let i = 0; i < events.length; i += maxBatch) {
    const batch = events.slice(i, i + maxBatch);
    const escrow = billing.settings.fromGrants ? await billing.settleFromGrants(batch) : leftToAccounts(batch);
    const rest = escrow.uncovered.length === 0 ? [] : await settleFromAccounts(billing, escrow.uncovered, named);
    responses.push(...escrow.settled, ...rest);
    finishGrants(billing, escrow.grants.values());
  }
  const accountOf = new Map(events.map(({ requestId, accountId }) => [requestId, accountId]));
  for (const settlement of responses) {
    const accountId = accountOf.get(settlement.requestId) ?? "";
    billing.events.settled(accountId, settlement);
    // Its next grant may be refused for what it owes, so holders must not keep admitting on their
    // grants.
    if (settlement.isNew && settlement.writtenOff > 0n && billing.recall(accountId)) billing.events.recalled(accountId);
  }
  return {
    settled: responses.map((settlement) => ({
      requestId: settlement.requestId,
      new: settlement.isNew,
      chargedNanoUsd: settlement.charged,
      writtenOffNanoUsd: settlement.writtenOff,
    })),
  };
}
