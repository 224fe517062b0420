import { GatewayError } from "@uag/kit/errors.ts";
import type { Logger } from "@uag/kit/log.ts";
import { type RpcService, unaryService } from "@uag/kit/rpc/server.ts";
import type { PageRequest } from "@uag/proto/common/v1/page.ts";
import { type Delivery, type WebhookServiceServer, WebhookServiceService } from "@uag/proto/video/v1/webhooks.ts";
import { toStoreError } from "../store/connection.ts";
import { cursorAfter, type DeliveryDocument, type DeliveryStore } from "../webhooks/deliveries.ts";
import type { SecretStore } from "../webhooks/secrets.ts";

const usualOverlapMs = 24 * 3_600_000;
const usualLimit = 100;
const largestLimit = 1_000;

export interface WebhookRpcOptions {
  readonly deliveries: DeliveryStore;
  readonly secrets: SecretStore;
  /** Told that something is due at once. */
  readonly wake: () => void;
  readonly log: Logger;
}

/** The gRPC service by which operators and the console manage webhooks. */
export function webhookService({ deliveries, secrets, wake, log }: WebhookRpcOptions): RpcService {
  const stored = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toStoreError(error);
    });
  return unaryService<WebhookServiceServer>(
    WebhookServiceService,
    {
      async rotateSecret({ accountId, overlapMs, immediately }) {
        if (accountId === "") throw new GatewayError("invalid_request", undefined, { param: "account_id" });
        const overlap = immediately ? 0 : Number(overlapMs) || usualOverlapMs;
        if (overlap < 0) throw new GatewayError("invalid_request", undefined, { param: "overlap_ms" });
        const { secret, earlierUntil } = await stored(secrets.rotate(accountId, overlap));
        return { secret, earlierUntilMs: BigInt(earlierUntil?.getTime() ?? 0) };
      },
      async listDeliveries({ accountId, state, taskId, page }) {
        const limit = limitOf(page);
        const cursor = page?.cursor ?? "";
        const found = await stored(deliveries.list({ accountId, state, taskId, cursor, limit: limit + 1 }));
        const shown = found.slice(0, limit);
        const last = found.length > limit ? shown.at(-1) : undefined;
        return { deliveries: shown.map(messageOf), nextCursor: last === undefined ? "" : cursorAfter(last) };
      },
      async replay({ id }) {
        const delivery = await stored(deliveries.replay(id));
        if (delivery === undefined) throw new GatewayError("not_found", "There is no such delivery.", { param: "id" });
        wake();
        return { delivery: messageOf(delivery) };
      },
    },
    log,
  );
}

function limitOf(page: PageRequest | undefined): number {
  const limit = page?.limit ?? 0;
  if (limit < 0 || limit > largestLimit) throw new GatewayError("invalid_request", undefined, { param: "page.limit" });
  return limit === 0 ? usualLimit : limit;
}

function messageOf(delivery: DeliveryDocument): Delivery {
  const { _id: id, accountId, taskId, type, state, createdAt, dueAt, attempts } = delivery;
  return {
    id,
    accountId,
    taskId,
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
  };
}
