import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { usedKey } from "@uag/contract/responses/admin";
import type { Shown } from "@uag/contract/responses/shown";
import type { Key } from "@uag/proto/billing/v1/keys.ts";
import type { KeyUse, ListKeyUseResponse } from "@uag/proto/metering/v1/metering.ts";
import { usdText } from "@uag/runtime/usd";
import type { AdminClients } from "./clients.ts";
import { timeText } from "./json.ts";

type Used = Pick<
  Shown<typeof usedKey>,
  "last_used_at" | "requests_last_hour" | "spent_this_month_usd" | "spent_this_month_nano_usd"
>;

const timeoutMs = 2_000;
const unknown: Used = {
  last_used_at: null,
  requests_last_hour: null,
  spent_this_month_usd: null,
  spent_this_month_nano_usd: null,
};
const never = { lastUsedMs: 0n, requestsLastHour: 0n, spentThisMonthNanoUsd: 0n };

/** Keys are listed and revoked without metering too: while it is down their use is left out. */
async function requestedFor(clients: AdminClients, keys: readonly Key[]): Promise<ListKeyUseResponse | undefined> {
  const requested = keys.map(({ id, accountId }) => ({ keyId: id, accountId }));
  try {
    return await clients.metering.listKeyUse({ keys: requested }, { timeoutMs });
  } catch (error) {
    if (error instanceof GatewayError && error.retryable) return undefined;
    throw error;
  }
}

/** The use of keys, as fields beside their own. */
export async function keyUse(clients: AdminClients, keys: readonly Key[]): Promise<(key: Key) => Used> {
  const response = keys.length === 0 ? { keys: [] } : await requestedFor(clients, keys);
  if (response === undefined) return () => unknown;
  const used = new Map<string, KeyUse>(response.keys.map((one) => [one.keyId, one]));
  return ({ id }) => {
    const { lastUsedMs, requestsLastHour, spentThisMonthNanoUsd: spent } = used.get(id) ?? never;
    return {
      last_used_at: timeText(lastUsedMs),
      requests_last_hour: requestsLastHour,
      // Metering processes of earlier releases report none.
      spent_this_month_usd: spent === undefined ? null : usdText(spent),
      spent_this_month_nano_usd: spent ?? null,
    };
  };
}
