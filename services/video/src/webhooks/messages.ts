import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { MessageBudget } from "./budget.ts";
import type { DeliveryDocument, DeliveryStore, NewDelivery } from "./deliveries.ts";
import { isMail } from "./mail.ts";
import type { MailPause } from "./mail-pause.ts";
import type { WebhookSender } from "./sender.ts";

export interface MessagesOptions {
  readonly deliveries: DeliveryStore;
  readonly sender: Pick<WebhookSender, "enqueue" | "wake">;
  readonly budget: MessageBudget;
  readonly pause: MailPause;
}

/** Sends what alerts and people have sent, within the budgets of their accounts. */
export class Messages {
  readonly #options: MessagesOptions;

  constructor(options: MessagesOptions) {
    this.#options = options;
  }

  /**
   * Sends a notice of an alert, once per id.
   * @throws {GatewayError} `rate_limit_exceeded` beyond the account's notices an hour
   */
  async notify(message: NewDelivery): Promise<void> {
    const { deliveries, budget } = this.#options;
    if ((await deliveries.get(message._id)) !== null) return;
    await budget.take(message.accountId, { notice: 1 });
    await this.#enqueue(message);
  }

  /**
   * Sends all the messages of a test, or none of them.
   * @throws {GatewayError} `rate_limit_exceeded` beyond the account's mails or webhook calls
   */
  async test(accountId: string, messages: readonly NewDelivery[]): Promise<void> {
    const mail = messages.filter(({ url }) => isMail(url)).length;
    await this.#options.budget.take(accountId, { mail, webhook: messages.length - mail });
    for (const message of messages) await this.#enqueue(message);
  }

  /**
   * Starts a new series of attempts. A mail that may have arrived is not sent again for a while.
   * @throws {GatewayError} `not_found`, or `rate_limit_exceeded` beyond a budget or within a pause
   */
  async replay(id: string): Promise<DeliveryDocument> {
    const { deliveries, sender, budget, pause } = this.#options;
    const { accountId, url, state } = (await deliveries.get(id)) ?? missing();
    if (isMail(url)) {
      if (state === "failed" || state === "stopped") await pause.begin(accountId, url);
      else await pause.requireOver(accountId, url);
    }
    await budget.take(accountId, isMail(url) ? { mail: 1 } : { webhook: 1 });
    const delivery = (await deliveries.replay(id)) ?? missing();
    sender.wake();
    return delivery;
  }

  async #enqueue(message: NewDelivery): Promise<void> {
    const { sender, pause } = this.#options;
    if (isMail(message.url)) await pause.begin(message.accountId, message.url);
    await sender.enqueue(message);
  }
}

function missing(): never {
  throw new GatewayError("not_found", "The delivery does not exist.", { param: "id" });
}
