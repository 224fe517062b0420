import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { KeyUse, ListKeyUseRequest, ListKeyUseResponse } from "@uag/proto/metering/v1/metering.ts";
import type { Store } from "../store/store.ts";

const maxKeys = 1_000;
const hourMs = 3_600_000;
/** Of each query: the router lists keys without their use rather than wait longer. */
const maxTimeMS = 2_000;

/** A key has a roll-up for each model, operation and provider: their number has no bound. */
const sumByHour = {
  $group: { _id: { keyId: "$keyId", start: "$start" }, requests: { $sum: "$requests" } },
} as const;

interface KeyHour {
  readonly _id: { readonly keyId: string; readonly start: Date };
  readonly requests: number | bigint;
}

interface KeySum {
  readonly _id: string;
  readonly cost: number | bigint;
  readonly writtenOff: number | bigint;
}

/** What keys' requests of this month cost, nano-USD, without write-offs. */
async function spentThisMonth(
  { rollups }: Pick<Store, "rollups">,
  { keyIds, accounts, nowMs }: { keyIds: readonly string[]; accounts: readonly string[]; nowMs: number },
): Promise<ReadonlyMap<string, bigint>> {
  if (keyIds.length === 0) return new Map();
  const now = new Date(nowMs);
  const start = { $gte: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())) };
  const match = { bucket: "day" as const, accountId: { $in: [...accounts] }, start, keyId: { $in: [...keyIds] } };
  const sums = { cost: { $sum: "$costNanoUsd" }, writtenOff: { $sum: "$writtenOffNanoUsd" } };
  const sum = [{ $match: match }, { $group: { _id: "$keyId", ...sums } }];
  const rows = await rollups.aggregate<KeySum>(sum, { maxTimeMS }).toArray();
  return new Map(rows.map(({ _id, cost, writtenOff }) => [_id, BigInt(cost) - BigInt(writtenOff)]));
}

/** When keys were last used, roughly how often in the last hour, and what they spent this month. */
export async function listKeyUse(
  { keyUse, rollups }: Store,
  { keys }: ListKeyUseRequest,
  nowMs: number,
): Promise<ListKeyUseResponse> {
  if (keys.length > maxKeys) {
    throw new GatewayError("invalid_request", `At most ${maxKeys} keys are allowed.`, { param: "keys" });
  }
  const ids = keys.map(({ keyId }) => keyId);
  const used = await keyUse.find({ _id: { $in: ids } }, { maxTimeMS }).toArray();
  const hourStart = nowMs - (nowMs % hourMs);
  const isLate = (at: Date): boolean => at.getTime() >= nowMs - hourMs;
  const lately = used.filter(({ lastUsedAt }) => isLate(lastUsedAt)).map(({ _id }) => _id);
  const accounts = [...new Set(keys.map(({ accountId }) => accountId))];
  const start = { $gte: new Date(hourStart - hourMs) };
  const filter = { bucket: "hour" as const, accountId: { $in: accounts }, start, keyId: { $in: lately } };
  const rows =
    lately.length === 0
      ? []
      : await rollups.aggregate<KeyHour>([{ $match: filter }, sumByHour], { maxTimeMS }).toArray();
  const keyIds = used.map(({ _id }) => _id);
  const spent = await spentThisMonth({ rollups }, { keyIds, accounts, nowMs });
  // Of the previous hour, only the share within the last 60 minutes counts.
  const share = 1 - (nowMs - hourStart) / hourMs;
  const requests = new Map<string, number>();
  for (const row of rows) {
    const { keyId, start: hour } = row._id;
    const counted = Number(row.requests) * (hour.getTime() >= hourStart ? 1 : share);
    requests.set(keyId, (requests.get(keyId) ?? 0) + counted);
  }
  return {
    keys: used.map(
      ({ _id, lastUsedAt }): KeyUse => ({
        keyId: _id,
        lastUsedMs: BigInt(lastUsedAt.getTime()),
        // The last use is recorded before the sums are.
        requestsLastHour: isLate(lastUsedAt) ? BigInt(Math.max(1, Math.ceil(requests.get(_id) ?? 0))) : 0n,
        spentThisMonthNanoUsd: spent.get(_id) ?? 0n,
      }),
    ),
  };
}
