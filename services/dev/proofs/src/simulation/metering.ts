import { UsageBatch, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Store } from "./store.ts";

/** The usage stream and the metering service, which may die between any two of its steps. */
export class Metering {
  readonly applied = new Set<string>();
  /** Counted costs by request, nano-USD. */
  readonly events = new Map<string, bigint>();
  readonly #stream: Uint8Array[] = [];
  readonly #store: Store;
  readonly #random: (below: number) => number;
  requests = 0;
  costNanoUsd = 0n;

  readonly #stored: (event: UsageEvent) => void;

  /** @param stored receives each counted event */
  constructor(store: Store, random: (below: number) => number, stored: (event: UsageEvent) => void) {
    this.#stored = stored;
    this.#store = store;
    this.#random = random;
  }

  get waiting(): number {
    return this.#stream.length;
  }

  publish(payload: Uint8Array): void {
    this.#stream.push(payload);
  }

  /** Loses the stream with all its messages. */
  wipe(): void {
    this.#stream.length = 0;
  }

  /**
   * Processes one message, in any order. @param crashes probability in percent of dying at each
   * step
   */
  apply(crashes: number): void {
    const at = this.#random(this.#stream.length);
    const message = this.#stream[at];
    if (message === undefined) return;
    const dies = (): boolean => this.#random(100) < crashes;
    const { batchId, events } = UsageBatch.decode(message);
    const incoming = [...new Map(events.toReversed().map((event) => [event.requestId, event])).values()];
    const fresh = this.#settle(incoming);
    if (dies()) return;
    this.#keep(fresh, batchId);
    if (!dies()) this.#stream.splice(at, 1);
  }

  /**
   * Returns the events to keep, without those for which another terminal event of the same request
   * was charged.
   */
  #settle(events: readonly UsageEvent[]): UsageEvent[] {
    const settled = new Map(this.#store.settle(events).map((one) => [one.requestId, one]));
    return events.filter(({ requestId, costNanoUsd }) => {
      const one = settled.get(requestId);
      return one === undefined || one.isNew || one.charged + one.writtenOff === costNanoUsd;
    });
  }

  #keep(events: readonly UsageEvent[], batchId: string): void {
    for (const event of events) {
      const { requestId, costNanoUsd } = event;
      if (this.events.has(requestId)) continue;
      this.events.set(requestId, costNanoUsd);
      this.#stored(event);
      this.requests++;
      this.costNanoUsd += costNanoUsd;
    }
    this.applied.add(batchId);
  }
}
