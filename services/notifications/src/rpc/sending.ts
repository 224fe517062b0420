import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { EnqueueRequest } from "@uag/proto/notifications/v1/notifications.ts";
import type { NewDelivery } from "../deliveries/deliveries.ts";
import { isMail } from "../mail/mail.ts";
import type { Messages } from "../messages.ts";
import { type Methods, requireAccount, stored } from "./method.ts";
import { checkTarget, type TargetRules } from "./target.ts";

interface SendingParts extends TargetRules {
  readonly messages: Messages;
}

export function sendingMethods(
  options: SendingParts,
): Methods<"sendWebhook" | "checkTargets" | "enqueue" | "sendTest"> {
  const { messages } = options;
  return {
    async sendWebhook({ id: _id, accountId, taskIds, type, url, body }) {
      requireAccount(accountId);
      await stored(messages.deliver({ _id, accountId, taskIds, type, url, body }));
      return {};
    },
    async checkTargets({ targets }) {
      for (const target of targets) checkTarget(target, options);
      return {};
    },
    async enqueue(message) {
      await stored(messages.notify(deliveryOf(message, options)));
      return {};
    },
    async sendTest({ messages: all }) {
      const [first] = all;
      if (first === undefined || all.some(({ accountId }) => accountId !== first.accountId)) {
        throw new GatewayError("invalid_request", "messages: must be of one account.", { param: "messages" });
      }
      const test = all.map((message) => deliveryOf(message, options));
      await stored(messages.test(first.accountId, test));
      return {};
    },
  };
}

/** @throws {GatewayError} `invalid_request` for a message that may not be sent */
function deliveryOf(message: EnqueueRequest, options: SendingParts): NewDelivery {
  const { id: Id, accountId, alertId, type, url, body, subject } = message;
  requireAccount(accountId);
  checkTarget({ url, param: "url" }, options);
  return { _id: Id, accountId, taskIds: [], alertId, url, type, body, ...(isMail(url) && { subject }) };
}
