import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { RpcClient } from "@uag/kit/rpc/client.ts";
import type { WebhookServiceServer } from "@uag/proto/video/v1/webhooks.ts";
import type { MeteringEvents } from "../events.ts";
import { type AlertDocument, type Month, monthOf, openMonths } from "./alert.ts";
import { evaluate } from "./evaluate.ts";
import { type FigureSources, figuresOf } from "./figures.ts";
import { messagesOf } from "./messages.ts";
import type { AlertStore } from "./store.ts";

export interface MonitorOptions {
  readonly sources: FigureSources;
  readonly alerts: AlertStore;
  readonly webhooks: Pick<RpcClient<WebhookServiceServer>, "enqueue">;
  readonly events: MeteringEvents;
  /** How often each alert is evaluated, milliseconds. */
  readonly everyMs: number;
}

/** After this another replica takes over an alert that was claimed, milliseconds. */
const leaseMs = 60_000;
/** An alert whose sums take long is evaluated less often: it takes 2 % of the time at most. */
const pausePerEvaluation = 50;

/** A balance is what it is now, whatever the month. */
function monthsOf({ kind }: AlertDocument): Month[] {
  const now = Date.now();
  return kind === "balance" ? [monthOf(now)] : openMonths(now);
}

/**
 * Evaluates the alerts one after the other, shared with all other replicas, and sends notifications
 * of thresholds that are reached. They are sent before they are recorded, under ids derived from
 * their content: after a crash in between they are sent again, and delivered once.
 */
export class AlertMonitor implements AsyncDisposable {
  readonly #options: MonitorOptions;
  readonly #stop = new AbortController();
  readonly #loop: Promise<void>;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  async #run(): Promise<void> {
    const { everyMs, events } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#round(signal).catch(events.alertFailed);
      await sleep(everyMs * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { alerts, everyMs, events } = this.#options;
    while (!signal.aborted) {
      const alert = await alerts.claimDue(leaseMs);
      if (alert === undefined) return;
      const began = performance.now();
      // What cannot be sent now is sent by the next evaluation; other alerts do not wait for it.
      for (const month of monthsOf(alert)) await this.#evaluate(alert, month).catch(events.alertFailed);
      await alerts.reschedule(alert, Math.max(everyMs, (performance.now() - began) * pausePerEvaluation));
    }
  }

  async #evaluate(alert: AlertDocument, month: Month): Promise<void> {
    const { sources, alerts, webhooks, events } = this.#options;
    const evaluation = evaluate(alert, month, await figuresOf(sources, alert, month));
    if (evaluation === undefined) return;
    const { notification, notices } = evaluation;
    const messages = messagesOf(alert, notification);
    for (const message of messages) await webhooks.enqueue(message).catch(this.#skipRejected);
    await alerts.recordNotices(alert._id, notices);
    const { threshold } = notification;
    events.alerted({ alert: alert._id, account: alert.accountId, threshold, messages: messages.length });
  }

  /** A receiver that is rejected permanently, as when e-mail was switched off, delays no other. */
  readonly #skipRejected = (error: unknown): void => {
    if (!(error instanceof GatewayError) || error.code !== "invalid_request") throw error;
    this.#options.events.alertFailed(error);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }
}
