import { ConfigError } from "@uag/runtime/config";
import { keyringOf } from "@uag/runtime/keyring";
import { SecretBox } from "@uag/runtime/secret-box";
import { createGuardedClient, type GuardedClient } from "@uag/untrusted/http/guarded";
import type { Connection } from "mongoose";
import { MessageBudget } from "./budget.ts";
import type { NotificationSettings } from "./config.ts";
import { DeliveryStore } from "./deliveries/deliveries.ts";
import { DeliverySender } from "./deliveries/sender.ts";
import type { NotificationEvents } from "./events.ts";
import { Confirmations } from "./mail/confirmations.ts";
import { createMailer, type Mailer } from "./mail/mail.ts";
import { MailPause } from "./mail/mail-pause.ts";
import { Messages } from "./messages.ts";
import { SecretStore } from "./secrets/secrets.ts";

export interface PartsOptions {
  readonly settings: NotificationSettings;
  readonly connection: Connection;
  readonly events: NotificationEvents;
  /** Closes what is opened. */
  readonly resources: AsyncDisposableStack;
}

/** What the RPCs use. */
export interface Parts {
  readonly deliveries: DeliveryStore;
  readonly secrets: SecretStore;
  readonly messages: Messages;
  readonly budget: MessageBudget;
  readonly confirmations: Confirmations;
  readonly guarded: GuardedClient;
  /** Undefined where no mail server is configured. */
  readonly mailer: Mailer | undefined;
}

/** Opens the stores and begins to send what is due. */
export async function openParts({ settings, connection, events, resources }: PartsOptions): Promise<Parts> {
  const guarded = resources.use(createGuardedClient({ allow: settings.EGRESS_ALLOW }));
  const mailer = openMailer(settings);
  if (mailer !== undefined) resources.use(mailer);
  const deliveries = new DeliveryStore(connection);
  const box = new SecretBox(keyringOf(settings.WEBHOOK_KEY, settings.WEBHOOK_KEY_PREVIOUS));
  const secrets = new SecretStore(connection, box);
  const confirmations = confirmationsOf(settings, connection);
  const budget = budgetOf(settings, connection, events);
  const refused = (accountId: string): void => events.messageRefused("repeat", accountId);
  const pause = new MailPause(connection, settings.MAIL_REPLAY_PAUSE_MS, refused);
  const stores = [deliveries, confirmations, budget, pause];
  await Promise.all(stores.map((store) => store.open()));
  await secrets.open((error) => events.stumbled("reseal", error));
  const { WEBHOOK_TIMEOUT_MS: timeoutMs, WEBHOOK_SCALE: scale } = settings;
  const how = { guarded, mailer, confirmations, secrets, timeoutMs, scale };
  const sender = resources.use(new DeliverySender({ ...how, deliveries, events }));
  const messages = new Messages({ deliveries, sender, budget, pause, confirmations });
  return { deliveries, secrets, messages, budget, confirmations, guarded, mailer };
}

function budgetOf(settings: NotificationSettings, connection: Connection, events: NotificationEvents): MessageBudget {
  const perHour = {
    mail: settings.MAIL_TESTS_PER_HOUR,
    webhook: settings.WEBHOOK_TESTS_PER_HOUR,
    notice: settings.NOTICES_PER_HOUR,
  };
  return new MessageBudget(connection, perHour, events.messageRefused);
}

function confirmationsOf(settings: NotificationSettings, connection: Connection): Confirmations {
  const { PUBLIC_URL: publicUrl, SMTP_URL, MAIL_CONFIRMED_DOMAINS: confirmedDomains } = settings;
  if (SMTP_URL !== undefined && publicUrl === undefined && !confirmedDomains.includes("*")) {
    throw new ConfigError("PUBLIC_URL must be set beside SMTP_URL: confirmation mails contain a link to the console");
  }
  return new Confirmations(connection, {
    confirmedDomains,
    publicUrl: (publicUrl ?? "").replace(/\/$/, ""),
    lifetimeMs: settings.MAIL_CONFIRM_MS,
    resendPauseMs: settings.MAIL_REPLAY_PAUSE_MS,
  });
}

function openMailer(settings: NotificationSettings): Mailer | undefined {
  const { SMTP_URL: url, SMTP_FROM: from, SMTP_CA: ca, SMTP_TLS, WEBHOOK_TIMEOUT_MS: timeoutMs } = settings;
  if (url === undefined) return undefined;
  if (from === undefined) throw new ConfigError("SMTP_FROM must be set with SMTP_URL: an email needs a sender");
  return createMailer({ url, from, ca, tls: SMTP_TLS === "on", timeoutMs });
}
