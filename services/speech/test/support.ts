import { type OperationsHarness, type StartOptions, startOperations } from "@uag/harness/start-operations";
import { createAudioFetcher } from "@uag/providers/speech/fetch";
import { Mp3Encoders } from "../src/audio/mp3-encoders.ts";
import { operations } from "../src/operations.ts";

/** A text-to-speech model, and two for transcription: one is billed by tokens, one by seconds. */
export const catalog = (url: string, provider = ""): string => `
providers:
  dash: { protocol: dashscope, base_url: "${url}", api_key: sk-upstream-secret, ${provider} }
  openai: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret, ${provider} }
models:
  - id: voice
    owned_by: acme
    created: 2026-01-01
    operations: [audio.speech]
    output: [audio]
    speech: { formats: [mp3, wav], segment_characters: 600, voices: [Cherry] }
    price: { characters: 10 }
    upstreams: [{ provider: dash, model: qwen3-tts-flash }]
  - &tokens
    id: tokens
    owned_by: acme
    created: 2026-01-01
    operations: [audio.transcriptions]
    input: [audio]
    max_output_tokens: 2000
    transcription: { formats: [json], streams: true, audio_tokens_per_second: 10 }
    price: { input_tokens: 2.5, audio_input_tokens: 2.5, output_tokens: 10 }
    upstreams: [{ provider: openai }]
  - <<: *tokens
    id: seconds
    operations: [audio.transcriptions, audio.translations]
    transcription: { formats: [json, verbose_json] }
    price: { audio_seconds: 0.0001 }
`;

/** How long the providers of {@link catalog} may be silent where tests make them so. */
export const impatient = "timeouts: { first_byte: 20s, between_chunks: 1s, total: 20s }";

/** The operations of speech behind a real link, with a fake admission. */
export const startSpeech = (options: Omit<StartOptions, "operations">): Promise<OperationsHarness> =>
  startOperations({
    ...options,
    operations: (context, resources) =>
      operations({
        ...context,
        encoders: resources.use(new Mp3Encoders(1)),
        audio: createAudioFetcher(context.guarded),
        maxCharacters: 10_000,
      }),
  });
