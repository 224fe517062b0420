import type { LimitName } from "@uag/contract/messages/billing";
import type { Bus } from "@uag/runtime/bus";
import { askHolders } from "./ask-holders.ts";

/**
 * Asks the holders of a key's permits how many of them are in use, and waits until all have replied,
 * at most `waitMs`. Returns the number by holder.
 */
export async function reportUse(
  bus: Bus,
  request: {
    readonly keyId: string;
    readonly limit: LimitName;
    readonly holders: readonly string[];
    readonly waitMs: number;
  },
): Promise<ReadonlyMap<string, number>> {
  const { keyId, limit: kind, waitMs } = request;
  const missing = new Set(request.holders);
  const used = new Map<string, number>();
  await askHolders(bus, {
    keyId,
    message: { kind, holder_id: "", need: 0, report: true },
    waitMs,
    heard(reply) {
      if (reply?.holder_id === undefined || reply.used === undefined || !missing.delete(reply.holder_id)) return false;
      used.set(reply.holder_id, reply.used);
      return missing.size === 0;
    },
  });
  return used;
}
