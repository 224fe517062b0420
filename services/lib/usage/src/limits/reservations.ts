import type { Reservation } from "./reservation.ts";

/** What one request takes of its key's limits and of those of the levels above: all of it, or nothing. */
export class Reservations {
  readonly #all: Reservation[] = [];
  /** For the client, alternating name and value. */
  headers: readonly string[] = [];

  add(reservation: Reservation): void {
    this.#all.push(reservation);
  }

  /** False when a lease under which it was taken has expired and others may hold the permits. */
  get live(): boolean {
    return this.#all.every((each) => each.live);
  }

  /** The request is admitted, perhaps a while after it took its permits: their 60 s begin now. */
  admitted(): void {
    for (const each of this.#all) each.admitted();
  }

  /** The request was not admitted after all: nothing counts. */
  undo(): void {
    for (const each of this.#all) each.undo();
  }

  /**
   * Corrects the estimate to the tokens actually used; undefined when unknown, which keeps the
   * estimate.
   */
  correct(actual: number | undefined): void {
    for (const each of this.#all) each.correct(actual);
  }

  /** Releases the concurrency permits when the request is over. */
  release(): void {
    for (const each of this.#all) each.release();
  }
}
