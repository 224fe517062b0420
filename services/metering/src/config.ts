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
      "The `USAGE_MAC_KEY` of each service, as `service:hex`, comma-separated; two for one service while its key changes.",
    ),
  BILLING_ADDR: z.string().min(1).describe("Address of billing's gRPC."),
  VIDEO_ADDR: z.string().min(1).optional().describe("Address of video's gRPC, which sends spend alerts. Unset: none."),
  ALERTS_EVERY_MS: integer(100, 10_000).describe("How often each spend alert is evaluated."),
  USAGE_KEEP_MONTHS: integer(1, 13).describe(
    "Whole months of single usage events that stay in the database behind the current one; older ones are archived. Roll-ups stay for ever.",
  ),
  ...archiveSettings("usage/", "Without a place for them no month is dropped."),
  STREAM_PREFIX: z
    .string()
    .regex(/^[\w-]*$/)
    .default("")
    .describe("In front of the names of streams, consumers and subjects, for several systems on one broker."),
  STREAM_REPLICAS: integer(1, 1).describe("On how many NATS servers a stream is kept."),
  STREAM_MAX_BYTES: integer(1_048_576, 4_294_967_296).describe("Size at which the usage stream takes no more."),
  STREAM_MAX_AGE_HOURS: integer(1, 72).describe("Retention of unconsumed messages in the usage stream."),
  ACK_WAIT_MS: integer(1_000, 10_000).describe(
    "How long a metering process may take over a message before another gets it.",
  ),
  MAX_DELIVER: integer(1, 5).describe("After so many failed deliveries a message goes to the dead-letter stream."),
});

export type MeteringConfig = z.infer<typeof schema>;
