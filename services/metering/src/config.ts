import { archiveSettings } from "@uag/runtime/archive/settings";
import { commaList, commonSettings, natsSettings } from "@uag/runtime/config";
import { tracingSettings } from "@uag/runtime/tracing/settings";
import { z } from "zod";

const integer = (min: number, preset: number) => z.coerce.number().int().min(min).default(preset);

export const schema = z.object({
  ...commonSettings,
  GRPC_PORT: z.coerce.number().int().min(0).max(65535).default(0).describe("Port of gRPC; 0 picks a free one."),
  MONGODB_URL: z.string().min(1).describe("MongoDB replica set, as `mongodb://host:port/?replicaSet=name`."),
  MONGODB_DATABASE: z.string().min(1).default("metering").describe("Database that holds usage."),
  ...natsSettings,
  ...tracingSettings,
  USAGE_MAC_KEYS: commaList
    .pipe(z.array(z.string().regex(/^[\w-]+:([0-9a-fA-F]{2}){32,}$/, "must be publisher:hex")))
    .optional()
    .describe(
      "The `USAGE_MAC_KEY` of each service, as `service:hex`, comma-separated; two for one service during a rotation.",
    ),
  BILLING_ADDR: z.string().min(1).describe("Address of billing's gRPC."),
  NOTIFICATIONS_ADDR: z
    .string()
    .min(1)
    .optional()
    .describe("Address of notifications' gRPC, which sends spend alerts. Unset: no alerts are sent."),
  ALERTS_EVERY_MS: integer(100, 10_000).describe("How often each spend alert is evaluated."),
  USAGE_KEEP_MONTHS: integer(1, 13).describe(
    "Number of whole months before the current one whose usage events stay in the database; older ones are archived. Roll-ups are kept permanently.",
  ),
  ...archiveSettings("usage/", "If neither this nor S3 is set, no month is dropped."),
  STREAM_PREFIX: z
    .string()
    .regex(/^[\w-]*$/)
    .default("")
    .describe("Prefix of the names of streams, consumers and subjects, for several systems on one broker."),
  STREAM_REPLICAS: integer(1, 1).describe("Number of NATS servers that store each stream."),
  STREAM_MAX_BYTES: integer(1_048_576, 4_294_967_296).describe(
    "Maximum size of the usage stream; at this size it refuses messages.",
  ),
  STREAM_MAX_AGE_HOURS: integer(1, 72).describe("Retention of unconsumed messages in the usage stream."),
  ACK_WAIT_MS: integer(1_000, 10_000).describe(
    "How long a metering process may work on a message before it is redelivered to another.",
  ),
  MAX_DELIVER: integer(1, 5).describe("Number of failed deliveries after which a message is dead-lettered."),
});

export type MeteringConfig = z.infer<typeof schema>;
