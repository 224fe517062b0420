import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { KeyUse, ListKeyUseRequest, ListKeyUseResponse } from "@uag/proto/metering/v1/metering.ts";
import type { Store } from "../store/store.ts";

const maxKeys = 1_000;
const hourMs = 3_600_000;

/** A key has a roll-up for each model, operation and provider: their number has no bound. */
const sumByHour = {
  $group: { _id: { keyId: "$keyId", start: "$start" }, requests: { $sum: "$requests" } },
} as const;

interface KeyHour {
  readonly _id: { readonly keyId: string; readonly start: Date };
  readonly requests: number | bigint;
}

/** When keys were last used, and roughly how often in the last hour. */
export async function listKeyUse(
  { keyUse, rollups }: Store,
  { keys }: ListKeyUseRequest,
  nowMs: number,
): Promise<ListKeyUseResponse> {
  if (keys.length > maxKeys) {
    throw new GatewayError("invalid_request", `At most ${maxKeys} keys are allowed.`, { param: "keys" });
  }
  const ids = keys.map(({ keyId }) => keyId);
  const used = await keyUse.find({ _id: { $in: ids } }).toArray();
  const hourStart = nowMs - (nowMs % hourMs);
  const lately = used.filter(({ lastUsedAt }) => lastUsedAt.getTime() >= hourStart - hourMs).map(({ _id }) => _id);
  const accounts = [...new Set(keys.map(({ accountId }) => accountId))];
  const start = { $gte: new Date(hourStart - hourMs) };
  const filter = { bucket: "hour" as const, accountId: { $in: accounts }, start, keyId: { $in: lately } };
  const rows = lately.length === 0 ? [] : await rollups.aggregate<KeyHour>([{ $match: filter }, sumByHour]).toArray();
  // Of the previous hour, only the share within the last 60 minutes counts.
  const share = 1 - (nowMs - hourStart) / hourMs;
  const requests = new Map<string, number>();
  for (const row of rows) {
    const { keyId, start: hour } = row._id;
    const counted = Number(row.requests) * (hour.getTime() === hourStart ? 1 : share);
    requests.set(keyId, (requests.get(keyId) ?? 0) + counted);
  }
  return {
    keys: used.map(
      ({ _id, lastUsedAt }): KeyUse => ({
        keyId: _id,
        lastUsedMs: BigInt(lastUsedAt.getTime()),
        requestsLastHour: BigInt(Math.ceil(requests.get(_id) ?? 0)),
      }),
    ),
  };
}
