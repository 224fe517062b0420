import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { crashPoint } from "@uag/runtime/crash-point";
import type { Logger } from "@uag/runtime/log";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import type { ExchangeBill } from "../operation/operation-exchange.ts";
import { isBillable } from "./bills.ts";
import type { RecordedResponse } from "./record.ts";
import type { IdempotencyStore } from "./store.ts";

/**
 * How long the client waits for its response to be stored; after that it is sent while storing
 * continues.
 */
const patienceMs = 2_500;
const firstDelayMs = 100;

/** A claimed run, and where its state is stored. */
export interface RunOptions {
  readonly store: IdempotencyStore;
  readonly log: Logger;
  /** Id of the record. */
  readonly id: string;
  readonly token: string;
  readonly requestId: string;
  /** Whether the account allows its responses to be stored. */
  readonly keepsResponses: boolean;
  /** How often the run's lease is renewed, milliseconds. */
  readonly renewMs: number;
  /** Accounts for the response until it is stored. */
  readonly lease: BufferLease;
}

/**
 * A run that this process has claimed. It is notified of the request's progress and stores what
 * other replicas must know.
 */
export class Run {
  readonly lease: BufferLease;
  /** Resolves when the record holds the run's outcome. */
  readonly over: Promise<void>;
  readonly #options: RunOptions;
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #started = false;
  #bill: ExchangeBill | undefined;
  readonly #isOver: () => void;

  constructor(options: RunOptions) {
    this.#options = options;
    this.lease = options.lease;
    const over = Promise.withResolvers<void>();
    this.over = over.promise;
    this.#isOver = over.resolve;
    const { store, id, token } = options;
    this.#timer = setInterval(() => store.renew(id, token).catch((error) => this.#complain(error)), options.renewMs);
    crashPoint("claimed");
  }

  /**
   * Called when the journal has the request's start and its upstream is about to be called.
   * @throws {GatewayError} when the upstream must not be called: the run was taken over, or that
   * cannot be determined
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

  /** Records what the request is billed; no other outcome may be stored from now on. */
  billed(bill: ExchangeBill): void {
    this.#bill = bill;
  }

  /**
   * Ends the run with a response; undefined: nothing that could be replayed. Resolves when that is
   * stored, or after a bounded wait: then it is retried for as long as this process lives.
   */
  async end(response: RecordedResponse | undefined): Promise<void> {
    const writing = this.#write(response).finally(() => {
      this[Symbol.dispose]();
      this.#isOver();
    });
    await Promise.race([writing, sleep(patienceMs, undefined, { ref: false })]);
  }

  /**
   * Stops retrying; an outcome not stored by then is determined from the bill by the next request.
   */
  [Symbol.dispose](): void {
    this.#stop.abort();
    clearInterval(this.#timer);
    this.lease[Symbol.dispose]();
  }

  async #write(response: RecordedResponse | undefined): Promise<void> {
    const { signal } = this.#stop;
    // As often as a renewal: within the extended lease of a run that was found silent.
    const maxDelayMs = this.#options.renewMs;
    for (let delayMs = firstDelayMs; !signal.aborted; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
      try {
        await this.#writeOnce(response);
        crashPoint("kept");
        return;
      } catch (error) {
        this.#complain(error);
      }
      await sleep(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #writeOnce(response: RecordedResponse | undefined): Promise<void> {
    const { store, id, token, keepsResponses } = this.#options;
    if (response !== undefined && keepsResponses && store.keepsResponses) return store.keep(id, token, response);
    if (this.#started && (this.#bill === undefined || isBillable(this.#bill)))
      return store.lose(id, token, { costNanoUsd: this.#bill?.costNanoUsd });
    return store.free(id, token);
  }

  #complain(error: unknown): void {
    const { log, requestId } = this.#options;
    log.error({ err: error, request_id: requestId }, "writing the state of an idempotency key failed; retrying");
  }
}
