import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";

/** What counts toward the budget of one key, or toward a shared budget. */
export interface Charge {
  readonly accountId: string;
  /** One of the two. */
  readonly keyId?: string;
  readonly budgetId?: string;
  /** Nano-USD. */
  readonly charged: bigint;
}

/** The keys whose own budgets an event counts toward: its key, and for an envelope's the one that opened it. */
export const keysOf = ({ keyId, rootKeyId = "" }: UsageEvent): string[] => [keyId, rootKeyId].filter((id) => id !== "");

/** Adds up what events charge to each budget. */
export class Spending {
  readonly #charges = new Map<string, Charge>();

  /** One charge for each key and each shared budget. */
  get charges(): readonly Charge[] {
    return [...this.#charges.values()];
  }

  add(event: UsageEvent, charged: bigint): void {
    if (charged === 0n) return;
    const { accountId, budgetIds } = event;
    for (const keyId of keysOf(event)) this.#add(`${accountId}/${keyId}`, { accountId, keyId, charged });
    for (const budgetId of budgetIds) this.#add(`${accountId}/${budgetId}`, { accountId, budgetId, charged });
  }

  #add(id: string, charge: Charge): void {
    this.#charges.set(id, { ...charge, charged: charge.charged + (this.#charges.get(id)?.charged ?? 0n) });
  }
}
