import { type CapabilityService, startCapability } from "@uag/pipeline/start";
import { loadTokenizer } from "@uag/providers/tokens";
import { readConfig } from "@uag/runtime/config";
import { schema } from "./config.ts";
import { operations } from "./operations.ts";

/**
 * Starts embedding as configured by the environment; resolves when it serves. Disposing finishes
 * requests in flight, including their bills.
 */
export async function startService(env: NodeJS.ProcessEnv = process.env): Promise<CapabilityService> {
  const settings = readConfig(schema, env);
  return startCapability({
    name: "embedding",
    settings,
    env,
    build: async (context) => {
      await loadTokenizer();
      return { operations: operations(context, { partsAtOnce: settings.PARTS_AT_ONCE }) };
    },
  });
}
