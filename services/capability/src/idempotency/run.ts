import { setTimeout as sleep } from "node:timers/promises";
import type { Settlement } from "@uag/admission/types.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { BufferLease } from "@uag/kit/buffer-budget.ts";
import { crashPoint } from "@uag/kit/crash-point.ts";
import type { Logger } from "@uag/kit/log.ts";
import { isOwed } from "./bills.ts";
import type { RecordedResponse } from "./record.ts";
import type { IdempotencyStore } from "./store.ts";

/**
 * The client waits this long for its answer to be kept; then it gets it, and keeping it goes on.
 */
const patienceMs = 2_500;
const firstRestMs = 100;

/** A claimed run, and where its state is written. */
export interface RunOptions {
  readonly store: IdempotencyStore;
  readonly log: Logger;
  /** Of the record. */
  readonly id: string;
  readonly token: string;
  readonly requestId: string;
  /** Whether the account has its answers stored. */
  readonly keepsAnswers: boolean;
  /** How often the record is told that this run is alive, milliseconds. */
  readonly renewMs: number;
  /** Pays for the answer until it is kept. */
  readonly lease: BufferLease;
}

/**
 * A run that this process has claimed. It is told how the request goes on, and writes down what
 * others must know of it.
 */
export class Run {
  readonly requestId: string;
  readonly lease: BufferLease;
  /** Resolves when the record says how the run ended. */
  readonly over: Promise<void>;
  readonly #options: RunOptions;
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #started = false;
  #settlement: Settlement | undefined;
  readonly #isOver: () => void;

  constructor(options: RunOptions) {
    this.#options = options;
    this.requestId = options.requestId;
    this.lease = options.lease;
    const over = Promise.withResolvers<void>();
    this.over = over.promise;
    this.#isOver = over.resolve;
    const { store, id, token } = options;
    this.#timer = setInterval(() => store.renew(id, token).catch((error) => this.#complain(error)), options.renewMs);
    crashPoint("claimed");
  }

  /**
   * The journal has the request's start, and its upstream is about to be asked.
   * @throws {GatewayError} when the upstream must not be asked: the run was taken over meanwhile,
   * or that cannot be told
   */
  async start(model: string): Promise<void> {
    const { store, id, token } = this.#options;
    this.#started = true;
    const isMine = await store.start(id, token, model).catch((cause: unknown) => {
      throw new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause });
    });
    if (!isMine) throw new GatewayError("idempotency_in_progress", undefined, { retryAfterMs: 1_000 });
    crashPoint("noted");
  }

  /** What the request is billed; nothing else may be written down of it from now on. */
  billed(settlement: Settlement): void {
    this.#settlement = settlement;
  }

  /**
   * The run has come to this; undefined: nothing that could be answered again. Resolves when that
   * is written down, or cannot be for the moment: then it is tried for as long as this process
   * lives.
   */
  async end(response: RecordedResponse | undefined): Promise<void> {
    const writing = this.#write(response).finally(() => {
      this[Symbol.dispose]();
      this.#isOver();
    });
    await Promise.race([writing, sleep(patienceMs, undefined, { ref: false })]);
  }

  /** Ends what is tried; what is not written by then the next request finds out by the bill. */
  [Symbol.dispose](): void {
    this.#stop.abort();
    clearInterval(this.#timer);
    this.lease[Symbol.dispose]();
  }

  async #write(response: RecordedResponse | undefined): Promise<void> {
    const { signal } = this.#stop;
    // Like a renewal: within the lease that others give a run which they found silent.
    const maxRestMs = this.#options.renewMs;
    for (let restMs = firstRestMs; !signal.aborted; restMs = Math.min(restMs * 2, maxRestMs)) {
      try {
        await this.#writeOnce(response);
        crashPoint("kept");
        return;
      } catch (error) {
        this.#complain(error);
      }
      await sleep(restMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #writeOnce(response: RecordedResponse | undefined): Promise<void> {
    const { store, id, token, keepsAnswers } = this.#options;
    if (response !== undefined && keepsAnswers && store.keepsAnswers) return store.keep(id, token, response);
    if (this.#started && (this.#settlement === undefined || isOwed(this.#settlement)))
      return store.lose(id, token, { costNanoUsd: this.#settlement?.costNanoUsd });
    return store.free(id, token);
  }

  #complain(error: unknown): void {
    const { log, requestId } = this.#options;
    log.error({ err: error, request_id: requestId }, "the state of an idempotency key could not be written");
  }
}
