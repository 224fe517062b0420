import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Store } from "../store/store.ts";

/** A later use of a key is recorded only when it is later by this much, milliseconds. */
const resolutionMs = 60_000n;
const maxRemembered = 200_000;

/**
 * Records when keys were last used, to the minute. Not part of a transaction, so that no two
 * conflict on a key: the later time wins, however often and in whatever order this is called.
 */
export class KeyUse {
  readonly #rows: Store["keyUse"];
  /** Times that this process has recorded, unix milliseconds. */
  readonly #noted = new Map<string, bigint>();

  constructor({ keyUse }: Pick<Store, "keyUse">) {
    this.#rows = keyUse;
  }

  async note(events: readonly UsageEvent[]): Promise<void> {
    const latest = new Map<string, bigint>();
    for (const { keyId, endedAtMs } of events) {
      if (keyId === "" || endedAtMs < (this.#noted.get(keyId) ?? -resolutionMs) + resolutionMs) continue;
      if (endedAtMs > (latest.get(keyId) ?? 0n)) latest.set(keyId, endedAtMs);
    }
    if (latest.size === 0) return;
    const writes = [...latest].map(([_id, ms]) => ({
      updateOne: { filter: { _id }, update: { $max: { lastUsedAt: new Date(Number(ms)) } }, upsert: true },
    }));
    await this.#rows.bulkWrite(writes, { ordered: false });
    if (this.#noted.size + latest.size > maxRemembered) this.#noted.clear();
    for (const [keyId, ms] of latest) this.#noted.set(keyId, ms);
  }
}
