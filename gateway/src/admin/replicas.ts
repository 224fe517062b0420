import { type ProcessStatus, processStatus, statusEveryMs, statusSubjects } from "@uag/contract/messages/status";
import type { Bus } from "@uag/runtime/bus";
import type { Clock } from "@uag/runtime/clock";
import type { Logger } from "@uag/runtime/log";

/** A process by its last status message. */
export interface Replica {
  readonly service: string;
  readonly status: ProcessStatus;
  /** Monotonic milliseconds. */
  readonly lastMessageAt: number;
}

/** A process without messages for this long is silent, and after a while removed. */
const silentAfterMs = 3 * statusEveryMs;
const forgottenAfterMs = 10 * 60_000;
const maxReplicas = 1_000;

/** Receives the status messages of all processes. */
export class Replicas {
  readonly #clock: Clock;
  readonly #replicas = new Map<string, Replica>();

  constructor({ bus, clock, log }: { bus: Bus; clock: Clock; log: Logger }) {
    this.#clock = clock;
    bus.subscribe(statusSubjects.all, (data, subject) => {
      const status = processStatus.decode(data);
      if (status === undefined) log.warn({ subject, bytes: data.length }, "invalid status message from a process");
      else this.#receive(statusSubjects.idOf(subject), status);
    });
  }

  /** Those with a message in the last ten minutes that have not stopped. */
  all(): Replica[] {
    const now = this.#clock.monotonic();
    for (const [id, { lastMessageAt: heardAt }] of this.#replicas)
      if (now - heardAt > forgottenAfterMs) this.#replicas.delete(id);
    return [...this.#replicas.values()];
  }

  /** Those that are alive, by their messages. */
  living(): Replica[] {
    return this.all().filter((replica) => !this.isSilent(replica));
  }

  isSilent({ lastMessageAt: heardAt }: Replica): boolean {
    return this.#clock.monotonic() - heardAt > silentAfterMs;
  }

  /** Milliseconds since its last message. */
  ageOf({ lastMessageAt: heardAt }: Replica): number {
    return Math.round(this.#clock.monotonic() - heardAt);
  }

  #receive(service: string, status: ProcessStatus): void {
    if (status.leaving) this.#replicas.delete(status.id);
    else if (this.#replicas.has(status.id) || this.#replicas.size < maxReplicas)
      this.#replicas.set(status.id, { service, status, lastMessageAt: this.#clock.monotonic() });
  }
}
