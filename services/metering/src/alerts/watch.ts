import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { RpcClient } from "@uag/kit/rpc/client.ts";
import type { WebhookServiceServer } from "@uag/proto/video/v1/webhooks.ts";
import type { MeteringEvents } from "../events.ts";
import { type AlertDocument, type Month, monthOf, openMonths } from "./alert.ts";
import { type FigureSources, figuresOf } from "./figures.ts";
import { findingsOf } from "./findings.ts";
import { messagesOf } from "./messages.ts";
import type { AlertStore } from "./store.ts";

export interface WatchOptions {
  readonly sources: FigureSources;
  readonly alerts: AlertStore;
  readonly webhooks: Pick<RpcClient<WebhookServiceServer>, "enqueue">;
  readonly events: MeteringEvents;
  /** How often each alert is looked at, milliseconds. */
  readonly everyMs: number;
}

/** What a look has claimed is looked at by others after this, milliseconds. */
const leaseMs = 60_000;
/** An account whose sums take long is looked at the less often: looks take 2 % of the time. */
const pausesPerLook = 50;

/** A balance is what it is now, whatever the month. */
function monthsOf({ kind }: AlertDocument): Month[] {
  const now = Date.now();
  return kind === "balance" ? [monthOf(now)] : openMonths(now);
}

/**
 * Looks at the alerts one after the other, shared with all other replicas, and tells people of
 * thresholds that are reached. Telling comes before noting, under ids that follow from what is
 * told: whoever dies in between has it done again, and nobody hears of it twice.
 */
export class AlertWatch implements AsyncDisposable {
  readonly #options: WatchOptions;
  readonly #stop = new AbortController();
  readonly #loop: Promise<void>;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  async #run(): Promise<void> {
    const { everyMs, events } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#round(signal).catch(events.alertStumbled);
      await sleep(everyMs * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { alerts, everyMs, events } = this.#options;
    while (!signal.aborted) {
      const alert = await alerts.claimDue(leaseMs);
      if (alert === undefined) return;
      const began = performance.now();
      // Of what cannot be told now the next look tells; the other alerts do not wait for it.
      for (const month of monthsOf(alert)) await this.#look(alert, month).catch(events.alertStumbled);
      await alerts.lookAgain(alert, Math.max(everyMs, (performance.now() - began) * pausesPerLook));
    }
  }

  async #look(alert: AlertDocument, month: Month): Promise<void> {
    const { sources, alerts, webhooks, events } = this.#options;
    const findings = findingsOf(alert, month, await figuresOf(sources, alert, month));
    if (findings === undefined) return;
    const { tidings, notices } = findings;
    const messages = messagesOf(alert, tidings);
    for (const message of messages) await webhooks.enqueue(message).catch(this.#passOver);
    await alerts.told(alert._id, notices);
    const { threshold } = tidings;
    events.alerted({ alert: alert._id, account: alert.accountId, threshold, messages: messages.length });
  }

  /** A receiver that is refused for good, as when no mail is sent any more, holds up no other. */
  readonly #passOver = (error: unknown): void => {
    if (!(error instanceof GatewayError) || error.code !== "invalid_request") throw error;
    this.#options.events.alertStumbled(error);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }
}
