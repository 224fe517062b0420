import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { DatabaseClock } from "@uag/mongo/database-clock";
import type { NotificationServiceServer } from "@uag/proto/notifications/v1/notifications.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import type { MeteringEvents } from "../events.ts";
import {
  type AlertDocument,
  type Figures,
  fullsAfter,
  type Month,
  type MonthFull,
  type OpenMonth,
  openMonths,
} from "./alert.ts";
import { evaluate } from "./evaluate.ts";
import { currentFigures, type FigureSources, figuresOf } from "./figures.ts";
import { messagesOf } from "./messages.ts";
import type { AlertStore } from "./store.ts";

export interface MonitorOptions {
  readonly sources: FigureSources;
  readonly alerts: AlertStore;
  readonly notifications: Pick<RpcClient<NotificationServiceServer>, "enqueue">;
  readonly events: MeteringEvents;
  readonly clock: Pick<DatabaseClock, "moment">;
  /** How often each alert is evaluated, milliseconds. */
  readonly everyMs: number;
}

/** After this another replica takes over an alert that was claimed, milliseconds. */
const leaseMs = 60_000;
/** An alert whose sums take long is evaluated less often: evaluations take at most 2 % of the time. */
const pausePerEvaluation = 50;

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
    const { alerts, everyMs, events, clock } = this.#options;
    while (!signal.aborted) {
      const alert = await alerts.claimDue(leaseMs);
      if (alert === undefined) return;
      const began = performance.now();
      const nowMs = await clock.moment();
      // A message that cannot be sent now is sent by the next evaluation; other alerts do not wait for it.
      const fulls =
        alert.kind === "balance" || alert.budgetId !== undefined
          ? await this.#evaluateNow(alert, nowMs).catch(events.alertFailed)
          : await this.#evaluateMonths(alert, nowMs);
      const pauseMs = Math.max(everyMs, (performance.now() - began) * pausePerEvaluation);
      await alerts.reschedule(alert, { pauseMs, fulls: fulls ?? [] });
    }
  }

  /** A balance and a shared budget are what they are now. */
  async #evaluateNow(alert: AlertDocument, nowMs: number): Promise<void> {
    const { name, figures } = await currentFigures(this.#options.sources, alert, nowMs);
    await this.#report(alert, { name }, { figures, at: new Date(nowMs) });
  }

  /** Returns the amounts of 100 % in the last months. */
  async #evaluateMonths(alert: AlertDocument, nowMs: number): Promise<readonly MonthFull[]> {
    let fulls = alert.fulls ?? [];
    for (const month of openMonths(nowMs, alert)) {
      const full = await this.#evaluate(alert, { month, nowMs }).catch(this.#options.events.alertFailed);
      if (full !== undefined && month.end.getTime() > nowMs) fulls = fullsAfter(fulls, month.name, full);
    }
    return fulls;
  }

  /** Returns the amount of 100 % in the month, nano-USD. */
  async #evaluate(
    alert: AlertDocument,
    { month, nowMs }: { readonly month: OpenMonth; readonly nowMs: number },
  ): Promise<bigint> {
    const found = await figuresOf(this.#options.sources, alert, month);
    const figures = { ...found, fullNanoUsd: month.fullNanoUsd ?? found.fullNanoUsd };
    await this.#report(alert, month, { figures, at: new Date(nowMs) });
    return figures.fullNanoUsd;
  }

  async #report(
    alert: AlertDocument,
    month: Pick<Month, "name">,
    seen: { readonly figures: Figures; readonly at: Date },
  ): Promise<void> {
    const { alerts, notifications, events } = this.#options;
    const evaluation = evaluate(alert, month, seen);
    if (evaluation === undefined) return;
    const { notification, notices } = evaluation;
    const messages = messagesOf(alert, notification);
    for (const message of messages) await notifications.enqueue(message).catch(this.#skipRejected);
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
