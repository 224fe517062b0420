import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { RpcClient } from "@uag/kit/rpc/client.ts";
import type { WebhookServiceServer } from "@uag/proto/video/v1/webhooks.ts";
import type { MeteringEvents } from "../events.ts";
import type { Store } from "../store/store.ts";
import { type AlertDocument, type Month, openMonths, reached } from "./alert.ts";
import { messagesOf } from "./messages.ts";
import { spentIn } from "./spent.ts";
import type { AlertStore } from "./store.ts";

export interface WatchOptions {
  readonly store: Pick<Store, "rollups">;
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
      for (const month of openMonths(Date.now())) await this.#look(alert, month).catch(events.alertStumbled);
      await alerts.lookAgain(alert, Math.max(everyMs, (performance.now() - began) * pausesPerLook));
    }
  }

  async #look(alert: AlertDocument, month: Month): Promise<void> {
    const { store, alerts, webhooks, events } = this.#options;
    const spentNanoUsd = await spentIn(store, alert, month);
    const thresholds = reached(alert, month, spentNanoUsd);
    const highest = thresholds.at(-1);
    if (highest === undefined) return;
    const { monthlyNanoUsd } = alert;
    const at = new Date();
    const occasion = `${month.name} ${highest} ${monthlyNanoUsd}`;
    const tidings = { month: month.name, threshold: highest, spentNanoUsd, at, occasion };
    const messages = messagesOf(alert, { type: "spend.threshold_reached", ...tidings });
    for (const message of messages) await webhooks.enqueue(message).catch(this.#passOver);
    // What a jump has passed over is noted as well: of several at once the highest says it all.
    const notices = thresholds.map((threshold) => ({ month: month.name, threshold, monthlyNanoUsd, spentNanoUsd, at }));
    await alerts.told(alert._id, notices);
    events.alerted({ alert: alert._id, account: alert.accountId, threshold: highest, messages: messages.length });
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
