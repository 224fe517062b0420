import type { CapabilityContext } from "@uag/pipeline/context";
import { boxOf } from "@uag/pipeline/idempotency/open";
import { type CapabilityService, startCapability } from "@uag/pipeline/start";
import { loadTokenizer } from "@uag/providers/tokens";
import { readConfig } from "@uag/runtime/config";
import { type ChatSettings, schema } from "./config.ts";
import { chatContext } from "./context.ts";
import { operations } from "./operations.ts";
import { ResponseStore } from "./state/store.ts";

/**
 * Starts chat as configured by the environment; resolves when it serves. Disposing finishes
 * requests in flight, bills included.
 */
export function startService(env: NodeJS.ProcessEnv = process.env): Promise<CapabilityService> {
  const settings = readConfig(schema, env);
  return startCapability({
    name: "chat",
    settings,
    env,
    build: async (context, resources) => {
      await loadTokenizer();
      const store = openStore(settings, context);
      if (store !== undefined) resources.use(store);
      return { operations: operations(chatContext(context, store)) };
    },
  });
}

/** Stores responses, if a database and a key to encrypt them are configured. */
function openStore(settings: ChatSettings, { log }: CapabilityContext): ResponseStore | undefined {
  const { MONGODB_URL: url, STORED_RESPONSES: maxResponses, STORED_RESPONSE_BYTES: maxBytes } = settings;
  const box = boxOf(settings);
  if (url === undefined || box === undefined) return undefined;
  const failed = (error: unknown): void => log.error({ err: error }, "deleting the oldest stored responses failed");
  return new ResponseStore({ url, box, maxResponses, maxBytes, failed });
}
