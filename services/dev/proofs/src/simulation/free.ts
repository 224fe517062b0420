import assert from "node:assert/strict";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { FreeAdmitted } from "@uag/usage/types";
import type { Permits } from "./permits.ts";
import type { Replica } from "./replica.ts";
import type { Truth } from "./truth.ts";

interface Place {
  readonly replica: Replica;
  readonly permit: FreeAdmitted;
  /** The holder of its concurrency permit. */
  readonly slotHolder: string;
}

export interface FreeOptions {
  readonly random: (below: number) => number;
  readonly truth: Truth;
  readonly permits: Permits;
  /** True time, milliseconds. */
  readonly now: () => number;
  /** Called for each admitted request. */
  readonly admitted: () => void;
}

/**
 * Free requests of the limited key, which still count towards its limits, such as replayed
 * responses.
 */
export class FreeRequests {
  readonly #options: FreeOptions;
  #places: Place[] = [];

  constructor(options: FreeOptions) {
    this.#options = options;
  }

  /** Requests in flight whose permits cannot be lent to others. */
  get atOnce(): number {
    return this.#places.filter(({ slotHolder }) => !this.#options.permits.hasLapsed(slotHolder)).length;
  }

  get size(): number {
    return this.#places.length;
  }

  async begin(replica: Replica, caller: Caller): Promise<void> {
    const permit = await replica.admitter
      .admitFree({ caller, operation: "chat.completions" })
      .catch((error: unknown) => {
        assert.ok(error instanceof GatewayError && error.code !== "internal_error", String(error));
      });
    if (permit === undefined) return;
    this.#places.push({ replica, permit, slotHolder: replica.holder.id });
    this.#options.truth.admitted(this.#options.now());
    this.#options.admitted();
  }

  /** Removes the requests of a dead process. */
  forget(replica: Replica): void {
    this.#places = this.#places.filter((place) => place.replica !== replica);
  }

  end(place = this.#places[this.#options.random(this.#places.length)]): void {
    if (place === undefined || place.replica.paused) return;
    this.#places.splice(this.#places.indexOf(place), 1);
    place.permit[Symbol.dispose]();
  }

  endAll(): void {
    for (const place of [...this.#places]) this.end(place);
  }
}
