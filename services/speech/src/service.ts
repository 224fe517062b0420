import { type CapabilityService, startCapability } from "@uag/pipeline/start";
import { createAudioFetcher } from "@uag/providers/speech/fetch";
import { loadTokenizer } from "@uag/providers/tokens";
import { readConfig } from "@uag/runtime/config";
import { Mp3Encoders } from "./audio/mp3-encoders.ts";
import { schema } from "./config.ts";
import { operations } from "./operations.ts";

/**
 * Starts speech as configured by the environment; resolves when it serves. Disposing finishes
 * requests in flight, including their bills.
 */
export async function startService(env: NodeJS.ProcessEnv = process.env): Promise<CapabilityService> {
  const settings = readConfig(schema, env);
  return startCapability({
    name: "speech",
    settings,
    env,
    async build(context, resources) {
      await loadTokenizer();
      const encoders = resources.use(new Mp3Encoders(settings.ENCODER_THREADS));
      const audio = createAudioFetcher(context.guarded);
      return { operations: operations({ ...context, encoders, audio, maxCharacters: settings.MAX_CHARACTERS }) };
    },
  });
}
