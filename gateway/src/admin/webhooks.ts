import { createSecretRequest, deliveryListQuery, secretListQuery } from "@uag/contract/requests/admin";
import type { webhookSecret } from "@uag/contract/responses/admin";
import type { Shown } from "@uag/contract/responses/shown";
import type { Attempt, Delivery, Secret } from "@uag/proto/notifications/v1/notifications.ts";
import { type AdminHandler, recordAction } from "./admin.ts";
import { checkedBody, checkedQuery, pageOf } from "./check.ts";
import { notificationsOf } from "./clients.ts";
import { listOf, timeText } from "./json.ts";

function showSecret(secret: Secret): Shown<typeof webhookSecret> {
  const { createdBy } = secret;
  return {
    id: secret.id,
    object: "webhook_secret" as const,
    account_id: secret.accountId,
    hint: secret.hint,
    created_at: timeText(secret.createdAtMs),
    ends_at: timeText(secret.endsAtMs),
    created_by: createdBy === undefined ? null : { id: createdBy.id, name: createdBy.name },
  };
}

function showAttempt({ atMs, durationMs, status, error }: Attempt): object {
  return { at: timeText(atMs), duration_ms: durationMs, status: status === 0 ? null : status, error: error || null };
}

function showDelivery(delivery: Delivery): object {
  return {
    id: delivery.id,
    object: "webhook_delivery",
    account_id: delivery.accountId,
    task_id: delivery.taskId || null,
    alert_id: delivery.alertId || null,
    type: delivery.type,
    url: delivery.url,
    state: delivery.state,
    created_at: timeText(delivery.createdAtMs),
    next_attempt_at: timeText(delivery.nextAttemptAtMs),
    attempts: delivery.attempts.map(showAttempt),
  };
}

/**
 * Creates a secret, shown only in this response. Earlier ones sign beside it during the overlap.
 */
export const createSecret: AdminHandler = async (call) => {
  const { clients, actor, body } = call;
  const { account_id: accountId, overlap_seconds: seconds } = checkedBody(createSecretRequest, body);
  const notifications = notificationsOf(clients);
  await clients.accounts.getAccount({ id: accountId });
  const requested = { overlap_seconds: seconds };
  await recordAction(call, { action: "webhook_secret.rotate", targetId: accountId, accountId, requested });
  const overlap = { overlapMs: BigInt(seconds) * 1_000n, immediately: seconds === 0 };
  const { secret, earlierUntilMs, made } = await notifications.rotateSecret({ accountId, ...overlap, actor });
  const earlier = { earlier_secrets_end_at: timeText(earlierUntilMs) };
  return { status: 201, body: { ...(made && showSecret(made)), ...earlier, secret } };
};

/** The secrets that sign an account's webhooks now: a handful at most, so all on one page. */
export const listSecrets: AdminHandler = async ({ clients, url }) => {
  const { account: accountId } = checkedQuery(secretListQuery, url);
  const { secrets } = await notificationsOf(clients).listSecrets({ accountId });
  return { body: listOf(secrets.map(showSecret), "") };
};

export const endSecret: AdminHandler = async (call) => {
  const { clients, admin, id: secretId } = call;
  const notifications = notificationsOf(clients);
  await recordAction(call, {
    action: "webhook_secret.end",
    targetId: secretId,
    accountId: admin.accountId,
    requested: {},
  });
  return { body: showSecret(await notifications.endSecret({ id: secretId })) };
};

export const listDeliveries: AdminHandler = async ({ clients, url }) => {
  const { account = "", state = "", task = "", alert = "", ...paging } = checkedQuery(deliveryListQuery, url);
  const request = { accountId: account, state, taskId: task, alertId: alert, page: pageOf(paging) };
  const { deliveries, nextCursor } = await notificationsOf(clients).listDeliveries(request);
  return { body: listOf(deliveries.map(showDelivery), nextCursor) };
};

/** One delivery, with its payload. */
export const getDelivery: AdminHandler = async ({ clients, id: deliveryId }) => {
  const delivery = await notificationsOf(clients).getDelivery({ id: deliveryId });
  return { body: { ...showDelivery(delivery), body: delivery.body } };
};

export const replayDelivery: AdminHandler = async (call) => {
  const notifications = notificationsOf(call.clients);
  const { accountId } = await notifications.getDelivery({ id: call.id });
  await recordAction(call, { action: "webhook_delivery.replay", targetId: call.id, accountId, requested: {} });
  const { delivery } = await notifications.replay({ id: call.id });
  return { status: 202, body: delivery === undefined ? {} : showDelivery(delivery) };
};
