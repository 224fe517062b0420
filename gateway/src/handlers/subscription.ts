import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { AccountServiceServer } from "@uag/proto/billing/v1/accounts.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import type { Handler } from "../request-state.ts";
import { sendJson } from "../respond.ts";

const timeoutMs = 5_000;
const nanoPerUsd = 1e9;

/**
 * What the account behind the key may spend, in the format of OpenAI's former billing endpoint:
 * `hard_limit_usd` is spent plus unspent money, as balance checkers expect.
 */
export function subscription(accounts: Pick<RpcClient<AccountServiceServer>, "getSubscription">): Handler {
  return async (request, response) => {
    const { key } = response.locals;
    if (key === undefined) throw new GatewayError("invalid_api_key");
    const found = await accounts.getSubscription({ accountId: key.accountId, keyId: key.keyId }, { timeoutMs });
    const hardLimitUsd = Number(found.hardLimitNanoUsd) / nanoPerUsd;
    const body = {
      object: "billing_subscription",
      has_payment_method: found.hasPaymentMethod,
      plan: { id: found.planId, title: found.planTitle },
      soft_limit_usd: hardLimitUsd,
      hard_limit_usd: hardLimitUsd,
      system_hard_limit_usd: Number(found.systemHardLimitNanoUsd) / nanoPerUsd,
      access_until: Number(found.accessUntil),
    };
    sendJson(request, response, 200, JSON.stringify(body));
  };
}
