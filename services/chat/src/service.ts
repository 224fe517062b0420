import { type CapabilityService, startCapability } from "@uag/pipeline/start";
import { loadTokenizer } from "@uag/providers/tokens";
import { readConfig } from "@uag/runtime/config";
import { schema } from "./config.ts";
import { chatContext } from "./context.ts";
import { operations } from "./operations.ts";

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
    build: async (context) => {
      await loadTokenizer();
      return { operations: operations(chatContext(context)) };
    },
  });
}
