import {
  type Budget,
  type NotificationServiceServer,
  NotificationServiceService,
} from "@uag/proto/notifications/v1/notifications.ts";
import type { Logger } from "@uag/runtime/log";
import { type RpcService, unaryService } from "@uag/runtime/rpc/server";
import type { BudgetUse } from "../budget.ts";
import type { Parts } from "../parts.ts";
import { addressMethods } from "./addresses.ts";
import { deliveryMethods } from "./deliveries.ts";
import { requireAccount, stored } from "./method.ts";
import { personalMailMethods } from "./personal-mail.ts";
import { secretMethods } from "./secrets.ts";
import { sendingMethods } from "./sending.ts";

/** The gRPC service by which other services send messages, and operators manage webhooks. */
export function notificationService({ log, ...parts }: Parts & { readonly log: Logger }): RpcService {
  return unaryService<NotificationServiceServer>(
    NotificationServiceService,
    {
      ...secretMethods(parts.secrets),
      ...deliveryMethods(parts),
      ...sendingMethods(parts),
      ...addressMethods(parts),
      ...personalMailMethods(parts),
      async listBudgets({ accountId }) {
        requireAccount(accountId);
        const budgets = await stored(parts.budget.read(accountId));
        // Without a mail server no alert can have mail recipients.
        const offered = budgets.filter(({ kind }) => kind !== "mail" || parts.mailer !== undefined);
        return { budgets: offered.map(budgetMessage) };
      },
    },
    log,
  );
}

function budgetMessage({ kind, perHour, used, fullInMs }: BudgetUse): Budget {
  return { kind, perHour: BigInt(perHour), used: BigInt(used), fullInMs: BigInt(fullInMs) };
}
