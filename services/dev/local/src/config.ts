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
    .describe("Folder of all state and logs, from the top of the checkout; a second fleet needs another."),
  MONGODB_URL: url.describe("A MongoDB replica set to use in place of a mongod of the fleet's own."),
  NATS_URL: url.describe("NATS servers with JetStream to use in place of a nats-server of the fleet's own."),
  EGRESS_ALLOW: url.describe(
    "Comma-separated `host:port` that users' URLs may name although they are not public, in addition to the simulator's.",
  ),
  CATALOG_FILE: z
    .string()
    .optional()
    .describe("The model catalogue, from the top of the checkout; infra/config/catalog.yaml when unset."),
  CHAT_REPLICAS: z.coerce.number().int().min(1).max(16).default(1).describe("How many chat processes are started."),
});
