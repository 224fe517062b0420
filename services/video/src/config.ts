import { capabilitySettings } from "@uag/pipeline/settings";
import { z } from "zod";

const milliseconds = z.coerce.number().int().positive();
const scale = z.coerce.number().positive().max(10);

export const schema = z.object({
  ...capabilitySettings,
  MONGODB_URL: z.string().min(1).describe("MongoDB replica set, as `mongodb://host:port/?replicaSet=name`."),
  MONGODB_DATABASE: z.string().min(1).default("video").describe("Database of tasks."),
  NOTIFICATIONS_ADDR: z.string().min(1).describe("Notifications, as `host:port`: sends the webhooks of ended tasks."),
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
});

export type VideoSettings = z.infer<typeof schema>;
