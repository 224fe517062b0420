import assert from "node:assert/strict";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { maxEnvelopeLevels, type SharedBudget } from "@uag/ledger/rules/budget";
import type { Caller } from "@uag/proto/common/v1/caller.ts";

export interface Envelope {
  readonly id: string;
  readonly root: Caller;
  /** Its id, then those of the envelopes above it. */
  readonly ids: readonly string[];
  readonly budget: SharedBudget;
  readonly expiresAtMs: number;
}

const shortestMs = 2_000;
const longestMs = 90_000;
/** Percentage of requests with the key of an envelope that has ended, as routers may not know yet. */
const stalePercent = 10;

/**
 * The envelopes of the simulated account, opened and closed in one transaction each, as billing
 * does; the real rules of the ledger decide what may be drawn from them.
 */
export class Envelopes {
  readonly #random: (below: number) => number;
  readonly #now: () => number;
  readonly #all = new Map<string, Envelope>();
  /** The keys that clients know: the response of an opening may be lost. */
  readonly #known: Envelope[] = [];
  closed = 0;

  /** @param now the database's time */
  constructor(random: (below: number) => number, now: () => number) {
    this.#random = random;
    this.#now = now;
  }

  get opened(): number {
    return this.#all.size;
  }

  /** Number of those that ended without being closed. */
  get expired(): number {
    return [...this.#all.values()].filter(
      ({ budget, expiresAtMs }) => budget.endsAtMs === expiresAtMs && expiresAtMs <= this.#now(),
    ).length;
  }

  budget(id: string): SharedBudget | undefined {
    return this.#all.get(id)?.budget;
  }

  get budgets(): Iterable<SharedBudget> {
    return [...this.#all.values()].map(({ budget }) => budget);
  }

  /** Chooses the terms of a new envelope. @param root the key that opens it, or the highest above it */
  terms(root: Caller): Envelope {
    const id = `env_${this.#all.size + 1}_${this.#random(1_000_000)}`;
    const above = this.#known.filter((one) => this.#isOpen(one) && one.ids.length < maxEnvelopeLevels);
    const parent = this.#random(3) === 0 ? above[this.#random(above.length)] : undefined;
    const wanted = BigInt(20 + this.#random(600));
    const amount = parent !== undefined && parent.budget.amount < wanted ? parent.budget.amount : wanted;
    const endsAtMs = Math.min(
      this.#now() + shortestMs + this.#random(longestMs),
      parent?.budget.endsAtMs ?? Number.POSITIVE_INFINITY,
    );
    const budget: SharedBudget = { id, name: id, amount, period: "total", hard: true, endsAtMs };
    const ids = [id, ...(parent?.ids ?? [])];
    return { id, root: parent?.root ?? root, ids, budget, expiresAtMs: endsAtMs };
  }

  /** Billing's call, which may be repeated. @throws {GatewayError} when the envelope above has ended */
  open(terms: Envelope): Envelope {
    const known = this.#all.get(terms.id);
    if (known !== undefined) return known;
    const parent = this.#all.get(terms.ids[1] ?? "");
    if (parent !== undefined && !this.#isOpen(parent)) throw new GatewayError("invalid_request");
    this.#all.set(terms.id, terms);
    return terms;
  }

  /** Its client has received its key. */
  received({ id }: Envelope): void {
    if (!this.#known.some((one) => one.id === id)) this.#known.push(this.#all.get(id) as Envelope);
  }

  /** Billing's call: closes an envelope and those below it; a repeated one changes nothing. */
  close(id: string): object {
    for (const one of this.#all.values()) {
      if (!one.ids.includes(id) || !this.#isOpen(one)) continue;
      this.#set({ ...one, budget: { ...one.budget, endsAtMs: this.#now() } });
      this.closed++;
    }
    return {};
  }

  #set(changed: Envelope): void {
    this.#all.set(changed.id, changed);
    const at = this.#known.findIndex(({ id }) => id === changed.id);
    if (at >= 0) this.#known[at] = changed;
  }

  #isOpen({ budget }: Envelope): boolean {
    return (budget.endsAtMs ?? 0) > this.#now();
  }

  /** The id of an open envelope that a client knows; undefined when there is none. */
  someOpen(): string | undefined {
    const open = this.#known.filter((one) => this.#isOpen(one));
    return open[this.#random(open.length)]?.id;
  }

  /** The caller with the key of an envelope that was opened with this one; undefined when there is none. */
  below(root: Caller): Caller | undefined {
    const own = this.#known.filter(({ root: { keyId } }) => keyId === root.keyId);
    const stale = this.#random(100) < stalePercent;
    const some = own.filter((one) => this.#isOpen(one) !== stale);
    const envelope = some[this.#random(some.length)];
    if (envelope === undefined) return undefined;
    const { ids } = envelope;
    return { ...root, keyId: `key_${ids[0]}`, rootKeyId: root.keyId, budgetIds: [...ids, ...root.budgetIds] };
  }

  /** @throws {AssertionError} when a grant was issued in an envelope that has ended */
  checkOpen(budgetIds: readonly string[]): void {
    for (const id of budgetIds) {
      const envelope = this.#all.get(id);
      assert.ok(envelope === undefined || this.#isOpen(envelope), `a grant was issued in ${id}, which has ended`);
    }
  }
}
