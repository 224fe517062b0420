/** How a claim is renewed. */
export interface ClaimRenewalOptions<J> {
  /** How long a claim lasts without a renewal, milliseconds. */
  readonly leaseMs: number;
  /** Renews the claim; undefined when another process has it. */
  renew(): Promise<J | undefined>;
  /** Called with the job after each renewal. */
  renewed(job: J): void;
  /** Called when another process has the claim, or may have it. */
  lost(reason: string): void;
}

/** Renews a claim six times within its lease, until it is disposed. */
export class ClaimRenewal<J> implements Disposable {
  readonly #options: ClaimRenewalOptions<J>;
  readonly #timer: NodeJS.Timeout;
  #renewedAt = performance.now();

  constructor(options: ClaimRenewalOptions<J>) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#renew(), options.leaseMs / 6).unref();
  }

  async #renew(): Promise<void> {
    const { leaseMs, renew, renewed, lost } = this.#options;
    try {
      const job = await renew();
      if (job === undefined) return lost("another process has the claim");
      this.#renewedAt = performance.now();
      renewed(job);
    } catch {
      // Retried by the next renewal, as long as no other process can have it.
      if (performance.now() - this.#renewedAt > leaseMs) lost("the claim could not be renewed");
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
