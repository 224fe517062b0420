import { ledgerQuery, ledgerRepairRequest } from "@uag/contract/requests/admin-ledger";
import type { repair as repairResponse } from "@uag/contract/responses/admin-money";
import type { Shown } from "@uag/contract/responses/shown";
import { type Repair, RepairState } from "@uag/proto/billing/v1/admin.ts";
import { usdText } from "@uag/runtime/usd";
import type { AdminHandler } from "./admin.ts";
import { checkedBody, checkedQuery, pageOf } from "./check.ts";
import { listOf } from "./json.ts";
import { showEntry } from "./show-account.ts";

const repairTimeoutMs = 60_000;

/** Rows of one request, or of one account. */
export const readLedger: AdminHandler = async ({ clients, url }) => {
  const { request_id: requestId = "", account: accountId = "", ...paging } = checkedQuery(ledgerQuery, url);
  const { entries, nextCursor } = await clients.ledger.listEntries({ accountId, requestId, page: pageOf(paging) });
  return { body: listOf(entries.map(showEntry), nextCursor) };
};

type RepairResponse = Shown<typeof repairResponse>;

const words: Readonly<Record<RepairState, RepairResponse["status"]>> = {
  [RepairState.UNSPECIFIED]: "unknown",
  [RepairState.REPAIRED]: "repaired",
  [RepairState.EARLIER]: "repaired_earlier",
  [RepairState.NO_PRICE]: "no_price",
  [RepairState.NO_USAGE]: "no_usage",
  [RepairState.IMPLAUSIBLE]: "implausible_usage",
};

function showRepair(repair: Repair, dryRun: boolean): RepairResponse {
  const { event, state, chargedNanoUsd, writtenOffNanoUsd } = repair;
  return {
    object: "repair" as const,
    request_id: event?.requestId ?? "",
    account_id: event?.accountId ?? "",
    model: event?.model ?? "",
    status: dryRun && state === RepairState.REPAIRED ? "would_be_repaired" : words[state],
    charged_usd: usdText(chargedNanoUsd),
    charged_nano_usd: chargedNanoUsd,
    written_off_usd: usdText(writtenOffNanoUsd),
    written_off_nano_usd: writtenOffNanoUsd,
    price_version: event?.priceVersion || null,
  };
}

const hasPrice = ({ state }: Repair): boolean => state === RepairState.REPAIRED || state === RepairState.EARLIER;

/**
 * Corrects the provisional charges of requests that had no price, and makes metering count the
 * difference. Both happen once per request id, so an interrupted call is simply repeated.
 */
export const repairLedger: AdminHandler = async ({ clients, actor, body }) => {
  const {
    request_id: requestId = "",
    cost_usd: cost,
    dry_run: dryRun,
    limit,
    after,
  } = checkedBody(ledgerRepairRequest, body);
  const page = { limit, cursor: after };
  const options = { timeoutMs: repairTimeoutMs };
  const reported = cost === undefined ? {} : { costNanoUsd: cost };
  const found = await clients.admin.repairUnpriced({ requestId, dryRun, page, actor, ...reported }, options);
  const charged = dryRun ? [] : found.repairs.filter(hasPrice);
  if (charged.length > 0) {
    const repairs = charged.map(({ event, chargedNanoUsd, writtenOffNanoUsd }) => ({
      event,
      chargedNanoUsd,
      writtenOffNanoUsd,
    }));
    await clients.usageAdmin.applyRepairs({ repairs }, options);
  }
  return {
    body: listOf(
      found.repairs.map((repair) => showRepair(repair, dryRun)),
      found.nextCursor,
    ),
  };
};
