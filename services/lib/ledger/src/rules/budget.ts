import type { Book } from "./book.ts";
import { isLive, leftOf } from "./grant.ts";

/** The calendar month (UTC) of a booking, as `2026-01`. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/**
 * A key's budget, nano-USD: `available` is the budget minus what was charged this month and what
 * its grants still hold. Undefined when the key has none.
 */
export function budgetOf(book: Book, keyId: string): { available: bigint; held: bigint } | undefined {
  const budget = book.budgets.get(keyId) ?? 0n;
  if (budget === 0n) return undefined;
  let held = 0n;
  for (const grant of book.grants.values()) if (grant.keyId === keyId && isLive(grant)) held += leftOf(grant);
  const available = budget - (book.spent.get(keyId) ?? 0n) - held;
  return { available: available > 0n ? available : 0n, held };
}
