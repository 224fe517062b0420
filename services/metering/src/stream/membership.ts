import { setTimeout as sleep } from "node:timers/promises";
import { usagePartitions } from "@uag/contract/messages/usage-subjects";
import type { MeteringEvents } from "../events.ts";
import type { Store } from "../store/store.ts";

const beatMs = 1_000;
/** A process not seen for this long counts as dead, by the database's clock. */
const goneMs = 5_000;

/**
 * The partitions of the member at `index` of the members sorted by name: each partition has one
 * owner, and all members get an equal share.
 */
export function shareOf(index: number, members: number): number[] {
  const all = Array.from({ length: usagePartitions }, (_, partition) => partition);
  return all.filter((partition) => partition % members === index);
}

export interface MembershipOptions {
  /** This process's id. */
  readonly id: string;
  readonly store: Pick<Store, "members">;
  readonly events: MeteringEvents;
  /** Receives this process's partitions, at the start and after each change. */
  readonly owns: (partitions: readonly number[]) => void;
}

/**
 * Tracks the metering processes: each writes a heartbeat every second and derives its own
 * partitions from the list. For a second after a change two may work on one partition, which is
 * harmless: what is applied twice is counted once, at the cost of more work. So nothing needs to be
 * locked or handed over.
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
      // Without the database no process can apply anything, so the list stays as it was.
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

  /** Leaves; the others notice on their next heartbeat. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#options.store.members.deleteOne({ _id: this.#options.id }).catch(() => undefined);
  }
}
