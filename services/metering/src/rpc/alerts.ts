import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { newId } from "@uag/kit/ids.ts";
import type { Logger } from "@uag/kit/log.ts";
import type { RpcClient } from "@uag/kit/rpc/client.ts";
import { type RpcService, unaryService } from "@uag/kit/rpc/server.ts";
import {
  type Alert,
  type AlertServiceServer,
  AlertServiceService,
  type AlertTerms,
} from "@uag/proto/metering/v1/alerts.ts";
import type { WebhookServiceServer } from "@uag/proto/video/v1/webhooks.ts";
import { type AlertDocument, monthOf, type Terms } from "../alerts/alert.ts";
import { messagesOf } from "../alerts/messages.ts";
import { spentIn } from "../alerts/spent.ts";
import type { AlertStore } from "../alerts/store.ts";
import type { Store } from "../store/store.ts";

export interface AlertRpcOptions {
  readonly store: Pick<Store, "rollups">;
  readonly alerts: AlertStore;
  readonly webhooks: Pick<RpcClient<WebhookServiceServer>, "enqueue">;
  readonly log: Logger;
}

/** The gRPC service by which people manage spend alerts. */
export function alertService({ store, alerts, webhooks, log }: AlertRpcOptions): RpcService {
  const show = async (alert: AlertDocument): Promise<Alert> => {
    const month = monthOf(Date.now());
    return { ...messageOf(alert), month: month.name, spentNanoUsd: await spentIn(store, alert, month) };
  };
  return unaryService<AlertServiceServer>(
    AlertServiceService,
    {
      createAlert: async ({ accountId, keyId, terms, actor }) => {
        if (accountId === "") throw new GatewayError("invalid_request", undefined, { param: "account_id" });
        return await show(await alerts.create({ accountId, keyId, terms: termsOf(terms), actor }));
      },
      listAlerts: async ({ accountId }) => ({ alerts: await Promise.all((await alerts.list(accountId)).map(show)) }),
      getAlert: async ({ id }) => await show(await alerts.get(id)),
      updateAlert: async ({ id, terms }) => await show(await alerts.update(id, termsOf(terms))),
      deleteAlert: async ({ id }) => await show(await alerts.delete(id)),
      testAlert: async ({ id }) => {
        const alert = await alerts.beginTest(id);
        const shown = await show(alert);
        const { month, spentNanoUsd } = shown;
        const at = new Date();
        const threshold = alert.thresholds[0] ?? 0;
        const tidings = { month, threshold, spentNanoUsd, at, occasion: newId("test") };
        for (const message of messagesOf(alert, { type: "spend.test", ...tidings })) await webhooks.enqueue(message);
        return shown;
      },
    },
    log,
  );
}

/** The router has checked them; an alert that could never come is refused here as well. */
function termsOf(terms: AlertTerms | undefined): Terms {
  if (terms === undefined || terms.monthlyNanoUsd <= 0n || terms.thresholds.length === 0) {
    throw new GatewayError("invalid_request", undefined, { param: "terms" });
  }
  return terms;
}

function messageOf(alert: AlertDocument): Omit<Alert, "month" | "spentNanoUsd"> {
  const { _id: id, accountId, keyId, createdAt, createdBy, notices } = alert;
  const { name, monthlyNanoUsd, thresholds, webhookUrl, emails } = alert;
  return {
    id,
    accountId,
    keyId,
    terms: { name, monthlyNanoUsd, thresholds: [...thresholds], webhookUrl, emails: [...emails] },
    createdAtMs: BigInt(createdAt.getTime()),
    createdBy,
    notices: notices.map(({ at, ...notice }) => ({ ...notice, atMs: BigInt(at.getTime()) })),
  };
}
