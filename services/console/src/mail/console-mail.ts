import type { NotificationServiceServer } from "@uag/proto/notifications/v1/notifications.ts";
import { newId } from "@uag/runtime/ids";
import type { RpcClient } from "@uag/runtime/rpc/client";
import type { Events } from "../events.ts";
import type { MailText } from "./texts.ts";

/** Notifications, which has the mail server. */
export type MailSender = Pick<RpcClient<NotificationServiceServer>, "describeMail" | "sendMail">;

/** How long it is remembered whether mail is configured, milliseconds. */
const rememberedMs = 30_000;

/** Sends mail to users, where a mail server is configured. */
export class ConsoleMail {
  readonly #sender: MailSender | undefined;
  readonly #events: Pick<Events, "mailed">;
  #known: { readonly isConfigured: boolean; readonly until: number } | undefined;

  /** @param options.sender undefined without an address of notifications */
  constructor(options: { readonly sender: MailSender | undefined; readonly events: Pick<Events, "mailed"> }) {
    this.#sender = options.sender;
    this.#events = options.events;
  }

  /** Whether mail can be sent, as last reported; false until notifications has been reached. */
  async isConfigured(): Promise<boolean> {
    if (this.#sender === undefined) return false;
    if (this.#known !== undefined && Date.now() < this.#known.until) return this.#known.isConfigured;
    const described = await this.#sender.describeMail({}).catch(() => undefined);
    if (described === undefined) return this.#known?.isConfigured ?? false;
    this.#known = { isConfigured: described.configured, until: Date.now() + rememberedMs };
    return described.configured;
  }

  /** Sends a mail. @returns false when it was not accepted; that is logged */
  async send(to: string, text: MailText): Promise<boolean> {
    if (this.#sender === undefined || !(await this.isConfigured())) return false;
    try {
      await this.#sender.sendMail({ id: newId("msg"), to, ...text });
      this.#events.mailed("sent");
      return true;
    } catch (error) {
      this.#events.mailed("failed", error);
      return false;
    }
  }
}
