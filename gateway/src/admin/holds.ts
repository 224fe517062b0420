import { pageQuery } from "@uag/contract/requests/admin";
import type { hold } from "@uag/contract/responses/admin-money";
import type { Shown } from "@uag/contract/responses/shown";
import type { Hold } from "@uag/proto/billing/v1/admin.ts";
import { usdText } from "@uag/runtime/usd";
import type { AdminHandler } from "./admin.ts";
import { checkedQuery, pageOf } from "./check.ts";
import { listOf, timeText } from "./json.ts";

function showHold(grant: Hold): Shown<typeof hold> {
  const { amountNanoUsd, returnedNanoUsd, chargedNanoUsd, taskUntilMs } = grant;
  const held = amountNanoUsd - returnedNanoUsd - chargedNanoUsd;
  return {
    id: grant.grantId,
    object: "hold",
    holder_id: grant.holderId,
    service: grant.service || null,
    key_id: grant.keyId || null,
    purpose: taskUntilMs === 0n ? "requests" : "task",
    open: grant.open,
    amount_usd: usdText(amountNanoUsd),
    amount_nano_usd: amountNanoUsd,
    held_usd: usdText(held),
    held_nano_usd: held,
    created_at: timeText(grant.createdAtMs),
    until: timeText(taskUntilMs),
  };
}

/** What holds an account's money now, oldest first. */
export const listHolds: AdminHandler = async ({ clients, id, url }) => {
  const page = pageOf(checkedQuery(pageQuery, url));
  await clients.accounts.getAccount({ id });
  const { holds, nextCursor } = await clients.admin.listHolds({ accountId: id, page });
  return { body: listOf(holds.map(showHold), nextCursor) };
};
