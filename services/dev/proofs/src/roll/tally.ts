/** Of one action; how many failed is counted of all. */
const maxNoted = 5;

/** What a client saw fail, and what was being done to the fleet meanwhile. */
interface Failure {
  readonly action: string;
  readonly what: string;
  readonly during: string;
}

/** Counts what is done to a fleet under load, by name, and keeps what failed. */
export class Tally {
  readonly done = new Map<string, number>();
  readonly #failures: Failure[] = [];
  readonly #allowed: (what: string) => boolean;
  readonly #failedBy = new Map<string, number>();
  failed = 0;
  /** Refusals that are allowed. */
  refused = 0;
  /** What is being done to the fleet. */
  during = "start";

  /** @param allowed whether a failure is a refusal that clients have to expect */
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

  /** One sentence for each that failed, for people. */
  violations(): string[] {
    const noted = this.#failures.map(({ action, what, during }) => `${action} failed during ${during}: ${what}`);
    const more = [...this.#failedBy].filter(([, count]) => count > maxNoted);
    return [...noted, ...more.map(([action, count]) => `${action} failed ${count} times in all`)];
  }
}
