import { commaList, commonSettings, natsSettings } from "@uag/runtime/config";
import { previousSecrets } from "@uag/runtime/keyring";
import { z } from "zod";

const webhookKey = z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 32 bytes in hex");

const milliseconds = z.coerce.number().int().positive();
const perHour = z.coerce.number().int().positive().max(100_000);

export const schema = z.object({
  ...commonSettings,
  GRPC_PORT: z.coerce.number().int().min(0).max(65535).default(0).describe("Port of gRPC; 0 picks a free one."),
  ...natsSettings,
  MONGODB_URL: z.string().min(1).describe("MongoDB replica set, as `mongodb://host:port/?replicaSet=name`."),
  MONGODB_DATABASE: z
    .string()
    .min(1)
    .default("video")
    .describe("Database of deliveries, secrets and confirmations. Video has its tasks in other collections there."),
  EGRESS_ALLOW: commaList
    .default([])
    .describe("Addresses exempt from the guard of calls to users' URLs, as `host:port`, comma-separated."),
  WEBHOOK_KEY: webhookKey.describe(
    "Key under which the accounts' signing secrets are encrypted, 32 bytes in hex. Losing it makes every secret useless.",
  ),
  WEBHOOK_KEY_PREVIOUS: previousSecrets(webhookKey).describe(
    "Previous values of WEBHOOK_KEY, comma-separated. Secrets encrypted under them are re-encrypted at startup, or at their next use.",
  ),
  WEBHOOK_SCALE: z.coerce
    .number()
    .positive()
    .max(10)
    .default(1)
    .describe("Factor on the delays between attempts of a webhook."),
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

export type NotificationSettings = z.infer<typeof schema>;
