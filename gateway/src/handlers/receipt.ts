import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { publicReceipt } from "@uag/contract/responses/receipts";
import type { Shown } from "@uag/contract/responses/shown";
import type { AdminServiceServer, ItemizeResponse } from "@uag/proto/billing/v1/admin.ts";
import type { MeteringServiceServer } from "@uag/proto/metering/v1/metering.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { jsonText } from "../admin/json.ts";
import { showEvent } from "../admin/show-usage.ts";
import { itemsOf, showSaving } from "../receipts/items.ts";
import type { ReceiptSigner } from "../receipts/signature.ts";
import type { Handler } from "../request-state.ts";
import { sendJson } from "../respond.ts";

const timeoutMs = 10_000;

/** What a receipt is made of. */
export interface ReceiptSources {
  readonly metering: Pick<RpcClient<MeteringServiceServer>, "getEvent">;
  readonly billing: Pick<RpcClient<AdminServiceServer>, "itemize">;
  /** Undefined: receipts are not signed. */
  readonly signer: ReceiptSigner | undefined;
}

function receiptOf(event: UsageEvent, { items, cacheSaving }: ItemizeResponse): Shown<typeof publicReceipt> {
  const shown = showEvent(event);
  return {
    object: "receipt",
    request_id: shown.request_id,
    account_id: shown.account_id,
    key_id: shown.key_id,
    operation: shown.operation,
    model: shown.model,
    requested_model: shown.requested_model,
    fallback_reason: shown.fallback_reason,
    started_at: shown.started_at,
    ended_at: shown.ended_at,
    outcome: shown.outcome,
    settlement_rule: shown.settlement_rule,
    pricing: shown.pricing,
    cost_usd: shown.cost_usd,
    cost_nano_usd: shown.cost_nano_usd,
    price_version: shown.price_version,
    items: itemsOf(event, items),
    cache_saving: showSaving(cacheSaving),
  };
}

const notFound = (cause?: unknown): GatewayError =>
  new GatewayError(
    "not_found",
    "This key has no bill with that request id. A bill is available within seconds of the end of its response.",
    { param: "id", cause },
  );

/** `GET /v1/receipts/{id}`: a bill of the key's own, signed. */
export function receipt({ metering, billing, signer }: ReceiptSources): Handler {
  return async (request, response) => {
    const { key } = response.locals;
    if (key === undefined) throw new GatewayError("invalid_api_key");
    const requestId = String(request.params["id"]);
    const event = await metering.getEvent({ requestId }, { timeoutMs }).catch((error: unknown) => {
      throw error instanceof GatewayError && error.code === "not_found" ? notFound(error) : error;
    });
    if (event.keyId !== key.keyId) throw notFound();
    const { priceVersion, units } = event;
    const priced = await billing.itemize({ priceVersion, units }, { timeoutMs });
    const payload = jsonText(receiptOf(event, priced));
    const jws = JSON.stringify(signer?.sign(payload) ?? null);
    sendJson(request, response, 200, `${payload.slice(0, -1)},"jws":${jws}}`);
  };
}

/** `GET /.well-known/jwks.json`: the keys that sign receipts. */
export function receiptKeys(signer: ReceiptSigner | undefined): Handler {
  const body = JSON.stringify({ keys: signer?.keys ?? [] });
  return (request, response) => sendJson(request, response, 200, body);
}
