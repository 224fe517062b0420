import type { Clock } from "@uag/kit/clock.ts";

/** One that has failed is passed over for this long, milliseconds, while there is another. */
const restMs = 1_000;

/** The replicas of a service, taken by turns; whichever did not answer rests for a moment. */
export class MountReplicas {
  readonly #targets: readonly string[];
  readonly #clock: Clock;
  readonly #failedAt = new Map<string, number>();
  #turn = 0;

  /** @param targets base URLs; one at least */
  constructor(targets: readonly string[], clock: Clock) {
    this.#targets = targets;
    this.#clock = clock;
  }

  /** The next one that answered when it was asked last; the next at all when none did. */
  next(): string {
    const { length } = this.#targets;
    const first = this.#turn++ % length;
    for (let n = 0; n < length; n++) {
      const target = this.#targets[(first + n) % length] as string;
      const failedAt = this.#failedAt.get(target);
      if (failedAt === undefined || this.#clock.monotonic() - failedAt > restMs) return target;
    }
    return this.#targets[first] as string;
  }

  failed(target: string): void {
    this.#failedAt.set(target, this.#clock.monotonic());
  }
}
