/** Maximum number of recorded failures of one action; all are counted. */
const maxNoted = 5;

/** A failure seen by a client, and the operation on the fleet at the time. */
interface Failure {
  readonly action: string;
  readonly what: string;
  readonly during: string;
}

/** Counts actions on a fleet under load, by name, and records failures. */
export class Tally {
  readonly done = new Map<string, number>();
  readonly #failures: Failure[] = [];
  readonly #allowed: (what: string) => boolean;
  readonly #failedBy = new Map<string, number>();
  failed = 0;
  /** Refusals that are allowed. */
  refused = 0;
  /** The current operation on the fleet. */
  during = "start";

  /** @param allowed whether a failure is a refusal that clients must expect */
  constructor(allowed: (what: string) => boolean = () => false) {
    this.#allowed = allowed;
  }

  add(action: string): void {
    this.done.set(action, (this.done.get(action) ?? 0) + 1);
  }

  fail(action: string, what: string): void {
    if (this.#allowed(what)) {
      this.refused++;
      return;
    }
    this.failed++;
    const count = (this.#failedBy.get(action) ?? 0) + 1;
    this.#failedBy.set(action, count);
    if (count <= maxNoted) this.#failures.push({ action, what, during: this.during });
  }

  get sum(): number {
    return [...this.done.values()].reduce((sum, count) => sum + count, 0);
  }

  /** For people: one sentence for each failure. */
  violations(): string[] {
    const noted = this.#failures.map(({ action, what, during }) => `${action} failed during ${during}: ${what}`);
    const more = [...this.#failedBy].filter(([, count]) => count > maxNoted);
    return [...noted, ...more.map(([action, count]) => `${action} failed ${count} times in total`)];
  }
}
