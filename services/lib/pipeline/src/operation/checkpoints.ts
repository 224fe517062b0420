import type { Admitted, Progress } from "@uag/usage/types";

const everyBytes = 64 * 1024;
const everyMs = 5_000;

/**
 * Writes to the journal what a stream costs so far, which is its bill if this process dies: when
 * its first bytes arrive, at each step that a capability reports, and as bytes are delivered.
 */
export class Checkpoints {
  readonly #admitted: Pick<Admitted, "checkpoint">;
  readonly #progress: () => Progress;
  #bytes = 0;
  #writtenAt = performance.now();

  constructor(admitted: Pick<Admitted, "checkpoint">, progress: () => Progress) {
    this.#admitted = admitted;
    this.#progress = progress;
  }

  /** Writes one now: the cost has risen by a step, such as an image. */
  write(): void {
    this.#bytes = 0;
    this.#writtenAt = performance.now();
    this.#admitted.checkpoint(this.#progress());
  }

  /** Writes one every 5 s and every 64 KiB while bytes are delivered. */
  delivered(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes >= everyBytes || performance.now() - this.#writtenAt >= everyMs) this.write();
  }
}
