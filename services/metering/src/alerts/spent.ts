import type { Store } from "../store/store.ts";
import type { AlertDocument, Month } from "./alert.ts";

/** What an account, or one of its keys, has spent in a month by settled requests, nano-USD. */
export async function spentIn(
  { rollups }: Pick<Store, "rollups">,
  { accountId, keyId }: Pick<AlertDocument, "accountId" | "keyId">,
  { start, end }: Month,
): Promise<bigint> {
  const own = { bucket: "day", accountId, start: { $gte: start, $lt: end }, ...(keyId !== "" && { keyId }) };
  const sum = { _id: null, cost: { $sum: "$costNanoUsd" } };
  const [row] = await rollups.aggregate<{ cost: bigint | number }>([{ $match: own }, { $group: sum }]).toArray();
  return BigInt(row?.cost ?? 0);
}
