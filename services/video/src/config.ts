import { capabilitySettings } from "@uag/pipeline/settings";
import { commaList } from "@uag/runtime/config";
import { previousSecrets } from "@uag/runtime/keyring";
import { z } from "zod";

const webhookKey = z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 32 bytes in hex");

const milliseconds = z.coerce.number().int().positive();
const perHour = z.coerce.number().int().positive().max(100_000);
const scale = z.coerce.number().positive().max(10);

export const schema = z.object({
  ...capabilitySettings,
  MONGODB_URL: z.string().min(1).describe("MongoDB replica set, as `mongodb://host:port/?replicaSet=name`."),
  MONGODB_DATABASE: z.string().min(1).default("video").describe("Database of tasks, webhooks and their secrets."),
  WEBHOOK_KEY: webhookKey.describe(
    "Key under which the accounts' signing secrets are encrypted, 32 bytes in hex. Losing it makes every secret useless.",
  ),
  WEBHOOK_KEY_PREVIOUS: previousSecrets(webhookKey).describe(
    "Previous values of WEBHOOK_KEY, comma-separated. Secrets encrypted under them are re-encrypted at startup, or at their next use.",
  ),
  ASSETS_ADDR: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The asset service, as `host:port`: stores result files that providers delete soon. Unset: the providers' URLs are passed on.",
    ),
  POLL_SCALE: scale.default(1).describe("Factor on the delays between polls of a task; small with a simulator."),
  POLL_QPS: z.coerce
    .number()
    .positive()
    .default(20)
    .describe("Maximum polls per second of one provider, all replicas together (DashScope allows 20)."),
  POLL_TIMEOUT_MS: milliseconds.default(20_000).describe("Timeout for a poll of a task."),
  CREATE_TIMEOUT_MS: milliseconds.default(60_000).describe("Timeout for a provider to accept a task."),
  TASK_AGE_LIMIT_MS: milliseconds
    .optional()
    .describe("Age at which an unfinished task expires; unset: when its provider deletes it."),
  WEBHOOK_SCALE: scale.default(1).describe("Factor on the delays between attempts of a webhook."),
  WEBHOOK_TIMEOUT_MS: milliseconds.default(15_000).describe("Timeout for a webhook's receiver and the mail server."),
  MAIL_TESTS_PER_HOUR: perHour
    .default(10)
    .describe("Maximum mails per hour and account from tests of alerts and replays."),
  WEBHOOK_TESTS_PER_HOUR: perHour
    .default(60)
    .describe("Maximum webhook calls per hour and account from tests of alerts and replays."),
  NOTICES_PER_HOUR: perHour
    .default(120)
    .describe("Maximum notices per hour that an account's alerts send automatically; others are delayed."),
  MAIL_REPLAY_PAUSE_MS: milliseconds
    .default(300_000)
    .describe("Minimum time between a mail and its replay, or between two confirmation mails, to one address."),
  MAIL_CONFIRMED_DOMAINS: commaList
    .default([])
    .describe(
      "Domains whose addresses receive mail without confirmation, comma-separated; `*` for all. List only your own.",
    ),
  MAIL_CONFIRM_MS: milliseconds.default(3 * 86_400_000).describe("How long the link of a confirmation mail is valid."),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("The gateway's public URL, for links to the console in mail. Required with SMTP_URL."),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      "Mail server for spend alerts: `smtps://user:password@host`, or `smtp://` for STARTTLS. Unset: no mail is sent.",
    ),
  SMTP_FROM: z.string().min(3).max(320).optional().describe("Sender of mail, as `Gateway <gateway@example.com>`."),
  SMTP_TLS: z
    .enum(["on", "off"])
    .default("on")
    .describe("`off` allows mail and password to be sent over `smtp://` unencrypted: for a relay on the same machine."),
  SMTP_CA: z.string().min(1).optional().describe("CA of the mail server, PEM; unset: the system's CAs."),
});

export type VideoSettings = z.infer<typeof schema>;
