import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { DatabaseClock } from "@uag/mongo/database-clock";
import {
  type Alert,
  type AlertServiceServer,
  AlertServiceService,
  type AlertTerms,
} from "@uag/proto/metering/v1/alerts.ts";
import type { NotificationServiceServer } from "@uag/proto/notifications/v1/notifications.ts";
import { newId } from "@uag/runtime/ids";
import type { Logger } from "@uag/runtime/log";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { type RpcService, unaryService } from "@uag/runtime/rpc/server";
import { type AlertDocument, kinds, type Terms } from "../alerts/alert.ts";
import { currentFigures, type FigureSources } from "../alerts/figures.ts";
import { messagesOf } from "../alerts/messages.ts";
import type { AlertStore } from "../alerts/store.ts";

export interface AlertRpcOptions {
  readonly sources: FigureSources;
  readonly alerts: AlertStore;
  readonly notifications: Pick<RpcClient<NotificationServiceServer>, "sendTest">;
  readonly clock: Pick<DatabaseClock, "moment">;
  readonly log: Logger;
}

/** The gRPC service by which people manage spend alerts. */
export function alertService({ sources, alerts, notifications, clock, log }: AlertRpcOptions): RpcService {
  const show = async (alert: AlertDocument): Promise<Alert> => {
    const { name, figures } = await currentFigures(sources, alert, await clock.moment());
    const { fullNanoUsd, spentNanoUsd, balance } = figures;
    return {
      ...messageOf(alert),
      month: name,
      spentNanoUsd,
      ...(alert.kind === "budget" && { budgetNanoUsd: fullNanoUsd }),
      ...(balance !== undefined && { balanceNanoUsd: balance.leftNanoUsd }),
    };
  };
  return unaryService<AlertServiceServer>(
    AlertServiceService,
    {
      createAlert: async ({ accountId, keyId, budgetId, terms, actor }) => {
        if (accountId === "") throw new GatewayError("invalid_request", undefined, { param: "account_id" });
        return await show(await alerts.create({ accountId, keyId, budgetId, terms: termsOf(terms), actor }));
      },
      listAlerts: async ({ accountId }) => ({ alerts: await Promise.all((await alerts.list(accountId)).map(show)) }),
      getAlert: async ({ id }) => await show(await alerts.get(id)),
      updateAlert: async ({ id, terms }) => await show(await alerts.update(id, termsOf(terms))),
      deleteAlert: async ({ id }) => await show(await alerts.delete(id)),
      testAlert: async ({ id }) => {
        const alert = await alerts.beginTest(id);
        const at = new Date(await clock.moment());
        const { name: month, figures } = await currentFigures(sources, alert, at.getTime());
        const threshold = alert.thresholds[0] ?? 0;
        const notification = { month, threshold, figures, at, dedupeKey: newId("test") };
        await notifications.sendTest({ messages: messagesOf(alert, { type: "spend.test", ...notification }) });
        return await show(alert);
      },
    },
    log,
  );
}

/** The router has checked them; an alert that could never come is refused here as well. */
function termsOf(terms: AlertTerms | undefined): Terms {
  const kind = kinds.find((one) => one === (terms?.kind ?? "spend"));
  if (terms === undefined || kind === undefined || !canCome(terms, kind)) {
    throw new GatewayError("invalid_request", undefined, { param: "terms" });
  }
  const { belowNanoUsd, ...others } = terms;
  return { ...others, kind, ...(belowNanoUsd !== undefined && { belowNanoUsd }) };
}

function canCome({ monthlyNanoUsd, belowNanoUsd = 0n, thresholds }: AlertTerms, kind: Terms["kind"]): boolean {
  if (kind === "balance") return belowNanoUsd > 0n;
  return thresholds.length > 0 && (kind === "budget" || monthlyNanoUsd > 0n);
}

function messageOf(alert: AlertDocument): Omit<Alert, "month" | "spentNanoUsd"> {
  const { _id: id, accountId, keyId, budgetId = "", createdAt, createdBy, notices } = alert;
  const { kind = "spend", name, monthlyNanoUsd, belowNanoUsd, thresholds, webhookUrl, emails } = alert;
  const amounts = { monthlyNanoUsd, ...(belowNanoUsd !== undefined && { belowNanoUsd }) };
  return {
    id,
    accountId,
    keyId,
    budgetId,
    terms: { kind, name, ...amounts, thresholds: [...thresholds], webhookUrl, emails: [...emails] },
    createdAtMs: BigInt(createdAt.getTime()),
    createdBy,
    notices: notices.map(({ at, balance, ...notice }) => ({
      ...notice,
      ...(balance !== undefined && { balanceNanoUsd: balance.leftNanoUsd }),
      atMs: BigInt(at.getTime()),
    })),
  };
}
