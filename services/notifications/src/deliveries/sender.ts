import { maxSleepMs, Wakeup } from "@uag/runtime/wakeup";
import type { GuardedClient } from "@uag/untrusted/http/guarded";
import type { NotificationEvents } from "../events.ts";
import type { Confirmations } from "../mail/confirmations.ts";
import type { Mailer } from "../mail/mail.ts";
import type { SecretStore } from "../secrets/secrets.ts";
import type { DeliveryDocument, DeliveryStore, NewDelivery } from "./deliveries.ts";
import { send } from "./send.ts";

const maxConcurrent = 128;
/** Keeps a slow receiver from blocking the others. */
const maxPerHost = 32;
const afterFailureMs = 1_000;
const leaseSlackMs = 10_000;
/** Delay before retrying a delivery whose host is at its limit. */
const laterMs = 250;

export interface SenderOptions {
  readonly deliveries: DeliveryStore;
  readonly secrets: SecretStore;
  readonly guarded: Pick<GuardedClient, "fetch">;
  /** Undefined where no mail server is configured. */
  readonly mailer: Mailer | undefined;
  readonly confirmations: Pick<Confirmations, "textOf">;
  readonly events: NotificationEvents;
  readonly timeoutMs: number;
  readonly scale: number;
}

/** Sends due webhooks and mails, sharing the work with all other replicas. */
export class DeliverySender implements AsyncDisposable {
  readonly #options: SenderOptions;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #hosts = new Map<string, number>();
  readonly #wakeup = new Wakeup();
  readonly #loop: Promise<void>;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  /** Adds a message and sends it without waiting for the next round, or at `dueAt`. */
  async enqueue(message: NewDelivery, dueAt?: Date): Promise<void> {
    await this.#options.deliveries.enqueue(message, dueAt);
    this.#wakeup.wakeAt(dueAt?.getTime());
  }

  wake(): void {
    this.#wakeup.wakeAt();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const next = await this.#round().catch((error: unknown) => {
        this.#options.events.stumbled("delivery", error);
        return Date.now() + afterFailureMs;
      });
      await this.#wakeup.sleepUntil(next, signal);
    }
  }

  /** Claims due deliveries and sends them; returns when to do so again, Unix milliseconds. */
  async #round(): Promise<number> {
    const { deliveries, timeoutMs } = this.#options;
    const latest = Date.now() + maxSleepMs;
    const free = maxConcurrent - this.#running.size;
    // The first to finish wakes this loop.
    if (free === 0) return latest;
    const { taken, nextAt } = await deliveries.claimDue(free, timeoutMs + leaseSlackMs);
    for (const delivery of taken) this.#begin(delivery);
    return Math.min(nextAt?.getTime() ?? latest, latest);
  }

  #begin(delivery: DeliveryDocument): void {
    const host = URL.parse(delivery.url)?.host ?? "";
    const work = this.#sendWhenFree(delivery, host)
      .catch((error: unknown) => this.#options.events.stumbled("delivery", error))
      .finally(() => {
        if (this.#running.size === maxConcurrent) this.#wakeup.wakeAt();
        this.#running.delete(work);
      });
    this.#running.add(work);
  }

  async #sendWhenFree(delivery: DeliveryDocument, host: string): Promise<void> {
    const busy = this.#hosts.get(host) ?? 0;
    if (busy >= maxPerHost) {
      await this.#options.deliveries.later(delivery, laterMs);
      return this.#wakeup.wakeAt(Date.now() + laterMs);
    }
    this.#hosts.set(host, busy + 1);
    try {
      await this.#send(delivery);
    } finally {
      const left = (this.#hosts.get(host) ?? 1) - 1;
      if (left === 0) this.#hosts.delete(host);
      else this.#hosts.set(host, left);
    }
  }

  async #send(delivery: DeliveryDocument): Promise<void> {
    const { deliveries, secrets, events, ...how } = this.#options;
    const inForce = await secrets.inForce(delivery.accountId);
    const attempted = await send(delivery, { ...how, secrets: inForce });
    await deliveries.attempted(delivery, attempted);
    if (attempted.dueAt !== undefined) this.#wakeup.wakeAt(attempted.dueAt.getTime());
    const detail = { id: delivery._id, account: delivery.accountId, attempt: delivery.tries + 1 };
    const { attempt, state } = attempted;
    if (state === "delivered") events.delivered({ ...detail, ms: attempt.durationMs });
    else events.deliveryFailed({ ...detail, error: attempt.error, last: state !== "pending" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await Promise.all(this.#running);
  }
}
