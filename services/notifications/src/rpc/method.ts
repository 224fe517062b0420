import { GatewayError } from "@uag/contract/errors/gateway-error";
import { toStoreError } from "@uag/mongo/store-error";
import type { NotificationServiceServer } from "@uag/proto/notifications/v1/notifications.ts";
import type { Handlers } from "@uag/runtime/rpc/server";

/** Some methods of the gRPC service. */
export type Methods<N extends keyof Handlers<NotificationServiceServer>> = Pick<Handlers<NotificationServiceServer>, N>;

/** Turns a failure of the database into `service_unavailable`. */
export const stored = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw toStoreError(error);
  });

export function missing(text: string): GatewayError {
  return new GatewayError("not_found", text, { param: "id" });
}

/** @throws {GatewayError} `invalid_request` without an account */
export function requireAccount(accountId: string): void {
  if (accountId === "") throw new GatewayError("invalid_request", undefined, { param: "account_id" });
}
