import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type WebhookServiceServer, WebhookServiceService } from "@uag/proto/video/v1/webhooks.ts";
import { createRpcClient, isUnreachable, type RpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";

/** @throws {GatewayError} `not_found` where this router knows no video service */
export function webhooksOf({ webhooks }: { readonly webhooks: WebhookClient | undefined }): WebhookClient {
  if (webhooks === undefined) throw new GatewayError("not_found");
  return webhooks;
}

/** The calls that the router makes. */
export type WebhookClient = Omit<
  RpcClient<WebhookServiceServer>,
  "enqueue" | "sendTest" | "requestConfirmations" | "confirmAddress"
>;

/** Calls the first reachable video replica, in the order given: each can serve all accounts. */
export function openWebhookClient(addresses: readonly string[], identity: Identity): WebhookClient {
  const replicas = addresses.map((address) =>
    createRpcClient<WebhookServiceServer>(WebhookServiceService, address, identity),
  );
  const reached = async <T>(call: (replica: WebhookClient) => Promise<T>): Promise<T> => {
    let last: unknown = new Error("video has no address");
    for (const replica of replicas) {
      try {
        return await call(replica);
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        last = error;
      }
    }
    throw last;
  };
  return {
    rotateSecret: (request, options) => reached((replica) => replica.rotateSecret(request, options)),
    listSecrets: (request, options) => reached((replica) => replica.listSecrets(request, options)),
    endSecret: (request, options) => reached((replica) => replica.endSecret(request, options)),
    listDeliveries: (request, options) => reached((replica) => replica.listDeliveries(request, options)),
    getDelivery: (request, options) => reached((replica) => replica.getDelivery(request, options)),
    checkTargets: (request, options) => reached((replica) => replica.checkTargets(request, options)),
    listUnconfirmed: (request, options) => reached((replica) => replica.listUnconfirmed(request, options)),
    listBudgets: (request, options) => reached((replica) => replica.listBudgets(request, options)),
    replay: (request, options) => reached((replica) => replica.replay(request, options)),
    [Symbol.dispose]() {
      for (const replica of replicas) replica[Symbol.dispose]();
    },
  };
}
