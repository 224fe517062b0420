import type { messageBudget } from "@uag/contract/responses/admin";
import { budgetKinds } from "@uag/contract/responses/admin-fields";
import type { Shown } from "@uag/contract/responses/shown";
import type { Budget } from "@uag/proto/video/v1/webhooks.ts";
import type { AdminHandler } from "./admin.ts";
import { listOf, timeText } from "./json.ts";
import { webhooksOf } from "./webhooks-client.ts";

function showBudget({ kind, perHour, used, fullInMs }: Budget): Shown<typeof messageBudget>[] {
  const known = budgetKinds.find((one) => one === kind);
  if (known === undefined) return [];
  const fullAt = fullInMs === 0n ? 0n : BigInt(Date.now()) + fullInMs;
  return [{ object: "message_budget", kind: known, per_hour: perHour, used, full_at: timeText(fullAt) }];
}

/** How much of its message budgets an account has used, on one page. */
export const listMessageBudgets: AdminHandler = async ({ clients, id: accountId }) => {
  await clients.accounts.getAccount({ id: accountId });
  const { budgets } = await webhooksOf(clients).listBudgets({ accountId });
  return { body: listOf(budgets.flatMap(showBudget), "") };
};
