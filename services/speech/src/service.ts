import { type CapabilityService, startCapability } from "@uag/pipeline/start";
import { createAudioFetcher } from "@uag/providers/speech/fetch";
import { readConfig } from "@uag/runtime/config";
import { Mp3Threads } from "./audio/mp3-threads.ts";
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
    build: (context, resources) => {
      const threads = resources.use(new Mp3Threads(settings.ENCODER_THREADS));
      const audio = createAudioFetcher(context.guarded);
      return { operations: operations({ ...context, threads, audio, maxCharacters: settings.MAX_CHARACTERS }) };
    },
  });
}
