import { setTimeout as sleep } from "node:timers/promises";
import { usagePartitions } from "@uag/contract/messages/usage-subjects.ts";
import type { MeteringEvents } from "../events.ts";
import type { Store } from "../store/store.ts";

const beatMs = 1_000;
/**
 * A process that has not been seen for this long is taken for dead, by the clock of the database.
 */
const goneMs = 5_000;

/**
 * The partitions of the member at `index` of so many, in the order of their names: each has one
 * owner, and all have as many.
 */
export function shareOf(index: number, members: number): number[] {
  const all = Array.from({ length: usagePartitions }, (_, partition) => partition);
  return all.filter((partition) => partition % members === index);
}

export interface MembershipOptions {
  /** This process's own name. */
  readonly id: string;
  readonly store: Pick<Store, "members">;
  readonly events: MeteringEvents;
  /** Told at first and after each change, which partitions are this process's. */
  readonly owns: (partitions: readonly number[]) => void;
}

/**
 * Which metering processes there are: each writes every second that it lives, and works out from
 * the list which partitions are its own. Two may work on one for a second when the list changes,
 * and nothing is wrong then: what is applied twice is counted once, only with more work. So nothing
 * needs to be locked or handed over.
 */
export class Membership implements AsyncDisposable {
  readonly #options: MembershipOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #known = "";

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#running = this.#live();
  }

  async #live(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      // Without the database nothing can be applied, by nobody: the list stays as it was.
      await this.#beat().catch((error: unknown) => this.#options.events.waiting(error));
      await sleep(beatMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #beat(): Promise<void> {
    const { id, store, events, owns } = this.#options;
    await store.members.updateOne({ _id: id }, [{ $set: { seenAt: "$$NOW" } }], { upsert: true });
    const alive = { $expr: { $gt: ["$seenAt", { $subtract: ["$$NOW", goneMs] }] } };
    const rows = await store.members.find(alive, { projection: { _id: 1 } }).toArray();
    const members = rows.map(({ _id }) => _id).sort();
    const known = members.join(" ");
    if (known === this.#known || !members.includes(id) || this.#stop.signal.aborted) return;
    this.#known = known;
    const partitions = shareOf(members.indexOf(id), members.length);
    events.membership(members.length, partitions.length);
    owns(partitions);
  }

  /** Leaves: the others see it with their next beat. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#options.store.members.deleteOne({ _id: this.#options.id }).catch(() => undefined);
  }
}
