import type { messageBudget } from "@uag/contract/responses/admin";
import { messageKinds } from "@uag/contract/responses/admin-fields";
import type { Shown } from "@uag/contract/responses/shown";
import type { Budget } from "@uag/proto/video/v1/webhooks.ts";
import type { AdminHandler } from "./admin.ts";
import { listOf, timeText } from "./json.ts";
import type { Replicas } from "./replicas.ts";
import { webhooksOf } from "./webhooks-client.ts";

type Shape = Shown<typeof messageBudget>;

const hourMs = 3_600_000;

const fullAt = (inMs: number): string | null => (inMs === 0 ? null : timeText(BigInt(Date.now() + inMs)));

function showBudget({ kind, perHour, used, fullInMs }: Budget): Shape[] {
  const known = messageKinds.find((one) => one === kind);
  if (known === undefined) return [];
  return [{ object: "message_budget", kind: known, per_hour: perHour, used, full_at: fullAt(Number(fullInMs)) }];
}

/** The budget of fetched URLs, summed over the processes: each reports its accounts with most use. */
function urlBudget(accountId: string, replicas: Replicas): Shape[] {
  const reports = replicas.living().flatMap(({ status }) => status.url_fetches ?? []);
  if (reports.length === 0) return [];
  const uses = reports.map(({ per_hour, accounts }) => {
    const used = accounts.find(({ account_id }) => account_id === accountId)?.used ?? 0;
    return { used, fullInMs: Math.ceil((used / per_hour) * hourMs) };
  });
  const sum = (values: readonly number[]): bigint => BigInt(values.reduce((total, value) => total + value, 0));
  return [
    {
      object: "message_budget",
      kind: "url",
      per_hour: sum(reports.map(({ per_hour }) => per_hour)),
      used: sum(uses.map(({ used }) => used)),
      full_at: fullAt(Math.max(...uses.map(({ fullInMs }) => fullInMs))),
    },
  ];
}

/** How much of its budgets an account has used, on one page. */
export const listMessageBudgets: AdminHandler = async ({ clients, replicas, id: accountId }) => {
  await clients.accounts.getAccount({ id: accountId });
  const { budgets } = await webhooksOf(clients).listBudgets({ accountId });
  return { body: listOf([...budgets.flatMap(showBudget), ...urlBudget(accountId, replicas)], "") };
};
