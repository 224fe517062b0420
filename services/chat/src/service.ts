import type { CapabilityContext } from "@uag/pipeline/context";
import { boxOf } from "@uag/pipeline/idempotency/open";
import { type CapabilityService, startCapability } from "@uag/pipeline/start";
import { loadTokenizer } from "@uag/providers/tokens";
import { readConfig } from "@uag/runtime/config";
import { openBackground } from "./background/open.ts";
import { type ChatSettings, schema } from "./config.ts";
import { chatContext } from "./context.ts";
import { operations } from "./operations.ts";
import { ChatDatabase } from "./state/database.ts";
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
    build: async (context, resources, _tasks, identity) => {
      await loadTokenizer();
      const opened = openStore(settings, context, resources);
      const base = chatContext(context, opened?.stored);
      const background = opened && openBackground(settings, { ...opened, context: base, resources, identity });
      return {
        operations: operations({ ...base, background }),
        leaving: () => background?.leave(),
      };
    },
  });
}

/** Stores responses, if a database and a key to encrypt them are configured. */
function openStore(
  settings: ChatSettings,
  { log }: CapabilityContext,
  resources: AsyncDisposableStack,
): { readonly database: ChatDatabase; readonly stored: ResponseStore } | undefined {
  const { MONGODB_URL: url, STORED_RESPONSES: maxResponses, STORED_RESPONSE_BYTES: maxBytes } = settings;
  const box = boxOf(settings);
  if (url === undefined || box === undefined) return undefined;
  const database = resources.use(new ChatDatabase({ url, box }));
  const failed = (error: unknown): void => log.error({ err: error }, "deleting the oldest stored responses failed");
  return { database, stored: resources.use(new ResponseStore({ database, maxResponses, maxBytes, failed })) };
}
