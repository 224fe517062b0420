import { z } from "zod";

const url = z.string().optional();

/**
 * The settings of `npm start`. Provider keys and base URLs are passed on to the services: see
 * providers.ts.
 */
export const schema = z.object({
  PORT: z.coerce.number().int().min(1).max(65_535).default(8080).describe("Port of the public server."),
  DATA_DIR: z
    .string()
    .default(".data")
    .describe("Folder of all state and logs, relative to the top of the checkout; each fleet needs its own."),
  MONGODB_URL: url.describe("A MongoDB replica set to use instead of the fleet's own mongod."),
  NATS_URL: url.describe("NATS servers with JetStream to use instead of the fleet's own nats-server."),
  EGRESS_ALLOW: url.describe(
    "Comma-separated `host:port` that users' URLs may name although they are not public; the simulator's is always allowed.",
  ),
  CATALOG_FILE: z
    .string()
    .optional()
    .describe("The model catalogue, relative to the top of the checkout; infra/config/catalog.yaml if unset."),
  CHAT_REPLICAS: z.coerce.number().int().min(1).max(16).default(1).describe("Number of chat processes."),
});
