import assert from "node:assert/strict";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { FreeAdmitted } from "@uag/usage/types";
import type { Permits } from "./permits.ts";
import type { Replica } from "./replica.ts";
import type { Truth } from "./truth.ts";

/** One that is in flight. */
interface FreeRequest {
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
  #open: FreeRequest[] = [];

  constructor(options: FreeOptions) {
    this.#options = options;
  }

  /** Requests in flight whose permits cannot be lent to others. */
  get atOnce(): number {
    return this.#open.filter(({ slotHolder }) => !this.#options.permits.hasLapsed(slotHolder)).length;
  }

  get size(): number {
    return this.#open.length;
  }

  async begin(replica: Replica, caller: Caller): Promise<void> {
    const permit = await replica.admitter
      .admitFree({ caller, operation: "chat.completions" })
      .catch((error: unknown) => {
        assert.ok(error instanceof GatewayError && error.code !== "internal_error", String(error));
      });
    if (permit === undefined) return;
    this.#open.push({ replica, permit, slotHolder: replica.holder.id });
    this.#options.truth.admitted(this.#options.now());
    this.#options.admitted();
  }

  /** Removes the requests of a dead process. */
  forget(replica: Replica): void {
    this.#open = this.#open.filter((request) => request.replica !== replica);
  }

  end(request = this.#open[this.#options.random(this.#open.length)]): void {
    if (request === undefined || request.replica.paused) return;
    this.#open.splice(this.#open.indexOf(request), 1);
    request.permit[Symbol.dispose]();
  }

  endAll(): void {
    for (const request of [...this.#open]) this.end(request);
  }
}
