import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { UpstreamFailure } from "../failure.ts";
import type { HttpResponse } from "../http/call.ts";
import { wireFailure } from "../http/errors.ts";

export interface HeldMemoryOptions {
  readonly memory: ResponseMemory;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  readonly response: Pick<HttpResponse, "status" | "pause" | "resume">;
  /** Ends the call: no memory became free in time. */
  fail(failure: UpstreamFailure): void;
}

/**
 * Accounts for a body that is held although a stream was asked for; while there is no room, the
 * socket is not read.
 */
export class HeldMemory {
  readonly #options: HeldMemoryOptions;
  #taken = 0;

  constructor(options: HeldMemoryOptions) {
    this.#options = options;
  }

  take(bytes: number): void {
    const { memory, signal, response, fail } = this.#options;
    this.#taken += bytes;
    const room = memory.take(bytes, signal);
    if (room === undefined) return;
    response.pause();
    room.then(
      () => response.resume(),
      (error: unknown) => fail(wireFailure(error, response.status)),
    );
  }

  /** The body is not held any more; the next attempt may use its memory. */
  give(): void {
    this.#options.memory.give(this.#taken);
    this.#taken = 0;
  }
}
