import { GatewayError } from "@uag/contract/errors/gateway-error";
import { readTimedPage, timedCursor, toPage } from "@uag/mongo/paging";
import {
  type Budget,
  type Delivery,
  type EnqueueRequest,
  type Secret,
  type Target,
  type WebhookServiceServer,
  WebhookServiceService,
} from "@uag/proto/video/v1/webhooks.ts";
import type { Logger } from "@uag/runtime/log";
import { type Handlers, type RpcService, unaryService } from "@uag/runtime/rpc/server";
import type { GuardedClient } from "@uag/untrusted/http/guarded";
import { UrlError } from "@uag/untrusted/http/url-error";
import { toStoreError } from "../store/errors.ts";
import type { BudgetUse, MessageBudget } from "../webhooks/budget.ts";
import type { Confirmations } from "../webhooks/confirmations.ts";
import {
  type DeliveryDocument,
  type DeliveryState,
  type DeliveryStore,
  deliveryStates,
  type NewDelivery,
} from "../webhooks/deliveries.ts";
import { addressIn, isMail, type Mailer } from "../webhooks/mail.ts";
import type { Messages } from "../webhooks/messages.ts";
import type { SecretEntry, SecretStore } from "../webhooks/secrets.ts";

const usualOverlapMs = 24 * 3_600_000;

export interface WebhookRpcOptions {
  readonly deliveries: DeliveryStore;
  readonly secrets: SecretStore;
  readonly messages: Messages;
  readonly budget: Pick<MessageBudget, "read">;
  readonly confirmations: Pick<Confirmations, "unconfirmed">;
  readonly guarded: Pick<GuardedClient, "parse">;
  /** Undefined where no mail server is configured. */
  readonly mailer: Mailer | undefined;
  readonly log: Logger;
}

const stored = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw toStoreError(error);
  });

type Methods<N extends keyof Handlers<WebhookServiceServer>> = Pick<Handlers<WebhookServiceServer>, N>;

/** The gRPC service by which operators and the console manage webhooks, and alerts are sent. */
export function webhookService(options: WebhookRpcOptions): RpcService {
  return unaryService<WebhookServiceServer>(
    WebhookServiceService,
    {
      ...secretMethods(options),
      ...deliveryMethods(options),
      ...sendingMethods(options),
      ...addressMethods(options),
      async listBudgets({ accountId }) {
        requireAccount(accountId);
        return { budgets: (await stored(options.budget.read(accountId))).map(budgetMessage) };
      },
    },
    options.log,
  );
}

function secretMethods({ secrets }: WebhookRpcOptions): Methods<"rotateSecret" | "listSecrets" | "endSecret"> {
  return {
    async rotateSecret({ accountId, overlapMs, immediately, actor }) {
      requireAccount(accountId);
      const overlap = immediately ? 0 : Number(overlapMs) || usualOverlapMs;
      if (overlap < 0) throw new GatewayError("invalid_request", undefined, { param: "overlap_ms" });
      const { secret, made, earlierUntil } = await stored(secrets.rotate(accountId, { overlapMs: overlap, actor }));
      const earlierUntilMs = BigInt(earlierUntil?.getTime() ?? 0);
      return { secret, earlierUntilMs, made: secretMessage(accountId, made) };
    },
    async listSecrets({ accountId }) {
      requireAccount(accountId);
      const found = await stored(secrets.list(accountId));
      return { secrets: found.map((entry) => secretMessage(accountId, entry)) };
    },
    async endSecret({ id }) {
      const ended = await stored(secrets.end(id));
      if (ended === undefined) throw missing("No valid secret with this id exists.");
      return secretMessage(ended.accountId, ended.entry);
    },
  };
}

function deliveryMethods({
  deliveries,
  messages,
}: WebhookRpcOptions): Methods<"listDeliveries" | "getDelivery" | "replay"> {
  return {
    async listDeliveries({ accountId, state, taskId, alertId, page }) {
      const { limit, after } = readTimedPage(page);
      const query = { accountId, state: stateOf(state), taskId, alertId, after, limit: limit + 1 };
      const found = await stored(deliveries.list(query));
      const { rows, nextCursor } = toPage(found, limit, (row) => timedCursor(row.createdAt, row._id));
      return { deliveries: rows.map(messageOf), nextCursor };
    },
    async getDelivery({ id }) {
      const delivery = await stored(deliveries.get(id));
      if (delivery === null) throw missing("The delivery does not exist.");
      return { ...messageOf(delivery), body: delivery.body };
    },
    async replay({ id }) {
      return { delivery: messageOf(await stored(messages.replay(id))) };
    },
  };
}

function sendingMethods(options: WebhookRpcOptions): Methods<"checkTargets" | "enqueue" | "sendTest"> {
  const { messages } = options;
  return {
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

function addressMethods(
  options: WebhookRpcOptions,
): Methods<"requestConfirmations" | "listUnconfirmed" | "confirmAddress"> {
  const { messages, confirmations } = options;
  return {
    async requestConfirmations({ accountId, addresses }) {
      requireAccount(accountId);
      for (const address of addresses) checkTarget({ url: `mailto:${address}`, param: "emails" }, options);
      await stored(messages.requestConfirmations(accountId, addresses));
      return {};
    },
    async listUnconfirmed({ accountId, addresses }) {
      requireAccount(accountId);
      return { addresses: await stored(confirmations.unconfirmed(accountId, addresses)) };
    },
    async confirmAddress({ token }) {
      const { accountId, address } = await stored(messages.confirm(token));
      return { accountId, address };
    },
  };
}

/** @throws {GatewayError} `invalid_request` for a message that may not be sent */
function deliveryOf(message: EnqueueRequest, options: WebhookRpcOptions): NewDelivery {
  const { id: Id, accountId, alertId, type, url, body, subject } = message;
  requireAccount(accountId);
  checkTarget({ url, param: "url" }, options);
  return { _id: Id, accountId, taskIds: [], alertId, url, type, body, ...(isMail(url) && { subject }) };
}

/** @throws {GatewayError} `invalid_request` for a URL that may not be called */
function checkTarget({ url, param }: Target, { guarded, mailer }: WebhookRpcOptions): void {
  const refuse = (text: string, cause?: unknown): never => {
    throw new GatewayError("invalid_request", `${param}: ${text}`, { param, cause });
  };
  if (isMail(url)) {
    if (mailer === undefined) refuse("e-mail is not available: no mail server is configured.");
    if (addressIn(url) === undefined) refuse("must be an e-mail address.");
    return;
  }
  try {
    guarded.parse(url);
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    refuse(error.message, error);
  }
}

function budgetMessage({ kind, perHour, used, fullInMs }: BudgetUse): Budget {
  return { kind, perHour: BigInt(perHour), used: BigInt(used), fullInMs: BigInt(fullInMs) };
}

function missing(text: string): GatewayError {
  return new GatewayError("not_found", text, { param: "id" });
}

function requireAccount(accountId: string): void {
  if (accountId === "") throw new GatewayError("invalid_request", undefined, { param: "account_id" });
}

function stateOf(text: string): DeliveryState | undefined {
  if (text === "") return undefined;
  const state = deliveryStates.find((known) => known === text);
  if (state !== undefined) return state;
  throw new GatewayError("invalid_request", `state: must be one of ${deliveryStates.join(", ")}.`, { param: "state" });
}

function secretMessage(accountId: string, { id, hint, createdAt, createdBy, endsAt }: SecretEntry): Secret {
  const createdAtMs = BigInt(createdAt.getTime());
  return { id, accountId, hint, createdAtMs, endsAtMs: BigInt(endsAt?.getTime() ?? 0), createdBy };
}

function messageOf(delivery: DeliveryDocument): Delivery {
  const { _id: id, accountId, taskIds, alertId = "", type, state, createdAt, dueAt, attempts } = delivery;
  return {
    id,
    accountId,
    taskId: taskIds.at(-1) ?? "",
    alertId,
    type,
    url: delivery.url.split(/[?#]/, 1)[0] ?? "",
    state,
    createdAtMs: BigInt(createdAt.getTime()),
    nextAttemptAtMs: state === "pending" ? BigInt(dueAt.getTime()) : 0n,
    attempts: attempts.map(({ at, durationMs, status, error }) => ({
      atMs: BigInt(at.getTime()),
      durationMs: BigInt(durationMs),
      status,
      error,
    })),
    body: "",
  };
}
