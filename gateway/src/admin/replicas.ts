import { type ProcessStatus, processStatus, statusEveryMs, statusSubjects } from "@uag/contract/messages/status.ts";
import type { Bus } from "@uag/kit/bus.ts";
import type { Clock } from "@uag/kit/clock.ts";
import type { Logger } from "@uag/kit/log.ts";

/** A process as it was heard of last. */
export interface Replica {
  readonly service: string;
  readonly status: ProcessStatus;
  /** Monotonic milliseconds. */
  readonly heardAt: number;
}

/** One that was not heard for so long is silent, and after a while forgotten. */
const silentAfterMs = 3 * statusEveryMs;
const forgottenAfterMs = 10 * 60_000;
const maxReplicas = 1_000;

/** Hears how the processes of the house are. */
export class Replicas {
  readonly #clock: Clock;
  readonly #heard = new Map<string, Replica>();

  constructor({ bus, clock, log }: { bus: Bus; clock: Clock; log: Logger }) {
    this.#clock = clock;
    bus.subscribe(statusSubjects.all, (data, subject) => {
      const status = processStatus.decode(data);
      if (status === undefined) log.warn({ subject, bytes: data.length }, "the status of a process cannot be read");
      else this.#hear(statusSubjects.idOf(subject), status);
    });
  }

  /** Those that were heard of in the last ten minutes and have not left. */
  all(): Replica[] {
    const now = this.#clock.monotonic();
    for (const [id, { heardAt }] of this.#heard) if (now - heardAt > forgottenAfterMs) this.#heard.delete(id);
    return [...this.#heard.values()];
  }

  /** Those that live, as far as can be heard. */
  living(): Replica[] {
    return this.all().filter((replica) => !this.isSilent(replica));
  }

  isSilent({ heardAt }: Replica): boolean {
    return this.#clock.monotonic() - heardAt > silentAfterMs;
  }

  /** Milliseconds since it was heard. */
  ageOf({ heardAt }: Replica): number {
    return Math.round(this.#clock.monotonic() - heardAt);
  }

  #hear(service: string, status: ProcessStatus): void {
    if (status.leaving) this.#heard.delete(status.id);
    else if (this.#heard.has(status.id) || this.#heard.size < maxReplicas)
      this.#heard.set(status.id, { service, status, heardAt: this.#clock.monotonic() });
  }
}
