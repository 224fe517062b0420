import type { Clock } from "@uag/runtime/clock";

/** A failed replica is skipped for this long, milliseconds, while there is another. */
const skipMs = 1_000;

/** A service's replicas, round-robin; one that did not respond is skipped for a moment. */
export class MountReplicas {
  readonly #targets: readonly string[];
  readonly #clock: Clock;
  readonly #failedAt = new Map<string, number>();
  #turn = 0;

  /** @param targets base URLs; at least one */
  constructor(targets: readonly string[], clock: Clock) {
    this.#targets = targets;
    this.#clock = clock;
  }

  /** The next replica that has not failed recently; if all have, simply the next. */
  next(): string {
    const { length } = this.#targets;
    const first = this.#turn++ % length;
    for (let n = 0; n < length; n++) {
      const target = this.#targets[(first + n) % length] as string;
      const failedAt = this.#failedAt.get(target);
      if (failedAt === undefined || this.#clock.monotonic() - failedAt > skipMs) return target;
    }
    return this.#targets[first] as string;
  }

  /** All replicas, the one at this address first. */
  from(address: string): readonly string[] {
    const { host } = new URL(address);
    return this.#targets.toSorted((a, b) => Number(new URL(b).host === host) - Number(new URL(a).host === host));
  }

  failed(target: string): void {
    this.#failedAt.set(target, this.#clock.monotonic());
  }
}
