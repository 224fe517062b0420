import type { messageBudget } from "@uag/contract/responses/admin";
import { messageKinds } from "@uag/contract/responses/admin-fields";
import type { Shown } from "@uag/contract/responses/shown";
import type { FetchBudget } from "@uag/proto/billing/v1/limits.ts";
import type { Budget } from "@uag/proto/notifications/v1/notifications.ts";
import type { AdminHandler } from "./admin.ts";
import { notificationsOf } from "./clients.ts";
import { listOf, timeText } from "./json.ts";

type Shape = Shown<typeof messageBudget>;

const fullAt = (inMs: number): string | null => (inMs === 0 ? null : timeText(BigInt(Date.now() + inMs)));

function showBudget({ kind, perHour, used, fullInMs }: Budget): Shape[] {
  const known = messageKinds.find((one) => one === kind);
  if (known === undefined) return [];
  return [{ object: "message_budget", kind: known, per_hour: perHour, used, full_at: fullAt(Number(fullInMs)) }];
}

function showUrlBudget({ perHour, used, fullInMs }: FetchBudget): Shape {
  return {
    object: "message_budget",
    kind: "url",
    per_hour: BigInt(perHour),
    used: BigInt(used),
    full_at: fullAt(fullInMs),
  };
}

/** How much of its budgets an account has used, on one page. */
export const listMessageBudgets: AdminHandler = async ({ clients, id: accountId }) => {
  await clients.accounts.getAccount({ id: accountId });
  const [{ budgets }, urls] = await Promise.all([
    notificationsOf(clients).listBudgets({ accountId }),
    clients.limits.getFetchBudget({ accountId }),
  ]);
  return { body: listOf([...budgets.flatMap(showBudget), showUrlBudget(urls)], "") };
};
