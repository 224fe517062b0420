import { GatewayError } from "@uag/kit/errors.ts";
import type { SettleRequest, SettleResponse } from "@uag/proto/billing/v1/ledger.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Billing } from "../billing.ts";
import { largestAmount } from "../ledger/money.ts";
import { type Settlement, settleOperation } from "../ledger/settle.ts";

/** Rows of one transaction: keeps it short. */
const largestGroup = 512;
/** Accounts whose transactions run at once. */
const accountsAtOnce = 8;
const longestId = 200;

function check(event: UsageEvent, index: number): void {
  const invalid = (field: string) =>
    new GatewayError("invalid_request", `The event ${event.requestId} has no valid ${field}.`, {
      param: `events[${index}].${field}`,
    });
  if (event.requestId === "" || event.requestId.length > longestId) throw invalid("request_id");
  if (event.accountId === "") throw invalid("account_id");
  if (event.costNanoUsd < 0n || event.costNanoUsd > largestAmount) throw invalid("cost_nano_usd");
  if (event.holdNanoUsd < 0n || event.holdNanoUsd > largestAmount) throw invalid("hold_nano_usd");
}

function groupByAccount(events: readonly UsageEvent[]): [string, UsageEvent[]][] {
  const groups: [string, UsageEvent[]][] = [];
  for (const [accountId, own] of Map.groupBy(events, (event) => event.accountId)) {
    for (let i = 0; i < own.length; i += largestGroup) groups.push([accountId, own.slice(i, i + largestGroup)]);
  }
  return groups;
}

/**
 * Charges events to their grants, each once for all time. Events are settled by account: when the call fails, some may
 * be settled, and repeating it is safe.
 * @throws {GatewayError} `invalid_request` before anything is settled, `not_found` when an account does not exist,
 *   `service_unavailable`; `param` names the field at fault.
 */
export async function settle(billing: Billing, request: SettleRequest): Promise<SettleResponse> {
  request.events.forEach(check);
  const groups = groupByAccount(request.events);
  const answers = new Map<string, Settlement>();
  const work = async (): Promise<void> => {
    for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
      const [accountId, events] = group;
      const settlements = await billing.queue.submit(settleOperation(accountId, events));
      billing.events.settled(accountId, settlements);
      for (const settlement of settlements) {
        if (!answers.get(settlement.requestId)?.isNew) answers.set(settlement.requestId, settlement);
      }
    }
  };
  await Promise.all(Array.from({ length: accountsAtOnce }, work));
  return {
    settled: [...answers.values()].map((settlement) => ({
      requestId: settlement.requestId,
      new: settlement.isNew,
      chargedNanoUsd: settlement.charged,
      writtenOffNanoUsd: settlement.writtenOff,
    })),
  };
}
