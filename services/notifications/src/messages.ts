import { GatewayError } from "@uag/contract/errors/gateway-error";
import { newId } from "@uag/runtime/ids";
import type { MessageBudget } from "./budget.ts";
import type { DeliveryDocument, DeliveryStore, NewDelivery } from "./deliveries/deliveries.ts";
import type { DeliverySender } from "./deliveries/sender.ts";
import { type Asking, type Confirmations, type Confirmed, confirmationType } from "./mail/confirmations.ts";
import { addressIn, isMail } from "./mail/mail.ts";
import type { MailPause } from "./mail/mail-pause.ts";

export interface MessagesOptions {
  readonly deliveries: DeliveryStore;
  readonly sender: Pick<DeliverySender, "enqueue" | "wake">;
  readonly budget: MessageBudget;
  readonly pause: MailPause;
  readonly confirmations: Confirmations;
}

/**
 * Sends messages of alerts, tests and replays, within the budgets of their accounts. An address
 * that is not confirmed gets only a confirmation mail.
 */
export class Messages {
  readonly #options: MessagesOptions;

  constructor(options: MessagesOptions) {
    this.#options = options;
  }

  /** Sends the webhook of a task, once per id. It has no budget: a client requested it with the task. */
  async deliver(message: NewDelivery): Promise<void> {
    await this.#options.sender.enqueue(message);
  }

  /**
   * Sends a notice of an alert, once per id. A notice to an unconfirmed address waits for its
   * confirmation, at most for as long as a link is valid.
   * @throws {GatewayError} `rate_limit_exceeded` beyond the account's notices an hour
   */
  async notify(message: NewDelivery): Promise<void> {
    const { deliveries, budget, sender, confirmations } = this.#options;
    const { accountId } = message;
    if ((await deliveries.get(message._id)) !== null) return;
    await budget.take(accountId, { notice: 1 });
    const unconfirmed = await confirmations.unconfirmed(accountId, addressesOf([message]));
    if (unconfirmed.length === 0) return await this.#enqueue(message);
    await this.requestConfirmations(accountId, unconfirmed).catch(unlessBudget);
    await sender.enqueue(message, new Date(Date.now() + confirmations.lifetimeMs));
    const stillOpen = await confirmations.unconfirmed(accountId, unconfirmed);
    if (stillOpen.length === 0) await this.#release(accountId, unconfirmed);
  }

  /**
   * Sends all the messages of a test, or none of them. Unconfirmed addresses get a confirmation mail
   * instead: another one after a pause, because the first may be lost.
   * @throws {GatewayError} `rate_limit_exceeded` beyond the account's mails or webhook calls
   */
  async test(accountId: string, messages: readonly NewDelivery[]): Promise<void> {
    const { budget, confirmations } = this.#options;
    const unconfirmed = await confirmations.unconfirmed(accountId, addressesOf(messages));
    const allowed = messages.filter(({ url }) => !unconfirmed.includes(addressIn(url) ?? ""));
    const unasked = await confirmations.unasked(accountId, unconfirmed, { resend: true });
    const mail = allowed.filter(({ url }) => isMail(url)).length;
    await budget.take(accountId, { mail: mail + unasked.length, webhook: allowed.length - mail });
    for (const message of allowed) await this.#enqueue(message);
    await this.#ask(accountId, unasked, { resend: true });
  }

  /**
   * Asks addresses to confirm that they want the account's mail. Those that have confirmed, or have
   * a valid link, get nothing.
   * @throws {GatewayError} `rate_limit_exceeded` beyond the account's mails
   */
  async requestConfirmations(accountId: string, addresses: readonly string[]): Promise<void> {
    const { budget, confirmations } = this.#options;
    const unconfirmed = await confirmations.unconfirmed(accountId, addresses);
    const unasked = await confirmations.unasked(accountId, unconfirmed, { resend: false });
    if (unasked.length === 0) return;
    await budget.take(accountId, { mail: unasked.length });
    await this.#ask(accountId, unasked, { resend: false });
  }

  /**
   * Confirms the address that a token was mailed to, and sends what waits for that.
   * @throws {GatewayError} `not_found` for a token that expired, was used or does not exist
   */
  async confirm(token: string): Promise<Confirmed> {
    const confirmed = (await this.#options.confirmations.confirm(token)) ?? noLink();
    await this.#release(confirmed.accountId, [confirmed.address]);
    return confirmed;
  }

  /**
   * Starts a new series of attempts. A mail that may have arrived is not sent again for a while,
   * and a confirmation mail is not replayed at all.
   * @throws {GatewayError} `not_found`, or `rate_limit_exceeded` beyond a budget or within a pause
   */
  async replay(id: string): Promise<DeliveryDocument> {
    const { deliveries, sender, budget, pause } = this.#options;
    const { accountId, url, state, type } = (await deliveries.get(id)) ?? missing();
    if (type === confirmationType) {
      const text = "A confirmation mail cannot be replayed. Test the alert to send another.";
      throw new GatewayError("invalid_request", text, { param: "id" });
    }
    if (isMail(url)) {
      if (state === "failed" || state === "stopped") await pause.begin(accountId, url);
      else await pause.requireOver(accountId, url);
    }
    await budget.take(accountId, isMail(url) ? { mail: 1 } : { webhook: 1 });
    const delivery = (await deliveries.replay(id)) ?? missing();
    sender.wake();
    return delivery;
  }

  async #ask(accountId: string, addresses: readonly string[], asking: Asking): Promise<void> {
    for (const address of addresses) {
      const mail = await this.#options.confirmations.ask(accountId, address, { id: newId("msg"), ...asking });
      if (mail !== undefined) await this.#enqueue(mail);
    }
  }

  async #release(accountId: string, addresses: readonly string[]): Promise<void> {
    const { deliveries, sender } = this.#options;
    for (const address of addresses) await deliveries.releaseMail(accountId, address);
    sender.wake();
  }

  async #enqueue(message: NewDelivery): Promise<void> {
    const { sender, pause } = this.#options;
    if (isMail(message.url)) await pause.begin(message.accountId, message.url);
    await sender.enqueue(message);
  }
}

const addressesOf = (messages: readonly NewDelivery[]): string[] => messages.flatMap(({ url }) => addressIn(url) ?? []);

/** The notice waits for the confirmation in any case; the next notice asks again. */
function unlessBudget(error: unknown): void {
  if (!(error instanceof GatewayError) || error.code !== "rate_limit_exceeded") throw error;
}

function missing(): never {
  throw new GatewayError("not_found", "The delivery does not exist.", { param: "id" });
}

function noLink(): never {
  throw new GatewayError("not_found", "The link has expired or was used. Test the alert to get another.");
}
