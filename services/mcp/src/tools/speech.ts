import { speechRequest } from "@uag/contract/requests/speech";
import { voiceList } from "@uag/contract/responses/media";
import { z } from "zod";
import { costOf, costUsd, modelField, optionalField, present } from "./schemas.ts";
import { defineTool } from "./tool.ts";
import { ToolError } from "./tool-error.ts";

const operation = "audio.speech";

/** Some twenty minutes of MP3. */
const maxAudioBytes = 12 * 1024 * 1024;
const maxTextChars = 10_000;
const maxListBytes = 1024 * 1024;

const { model, input, voice: voiceName, instructions } = speechRequest.shape;

export const synthesizeSpeech = defineTool({
  name: "synthesize_speech",
  title: "Synthesize speech",
  description: "Synthesizes speech and returns the audio. Billed per character.",
  operation,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.object({
    model: modelField(model),
    text: input.min(1).max(maxTextChars),
    voice: optionalField(voiceName).describe("A name from list_voices."),
    format: z.enum(["mp3", "wav"]).optional().describe("mp3 by default; some models support wav only."),
    instructions: optionalField(instructions).describe("Tone, pace and mood, for models that accept instructions."),
  }),
  output: z.object({ mime_type: z.string(), bytes: z.number(), cost_usd: costUsd }),
  async run({ text, format, ...rest }, { exchange, idempotencyKey, signal }) {
    const json = present({ ...rest, input: text, response_format: format });
    const response = await exchange.call({ method: "POST", path: "/v1/audio/speech", json, idempotencyKey, signal });
    const audio = await exchange.readBytes(response, maxAudioBytes).catch((error: unknown) => {
      if (error instanceof RangeError)
        throw new ToolError("The audio is too long for one response. Send a shorter text, or request mp3.");
      throw error;
    });
    const mimeType = response.headers.get("content-type") ?? "audio/mpeg";
    return {
      structured: { mime_type: mimeType, bytes: audio.length, ...costOf(response.headers) },
      content: [{ type: "audio", data: exchange.splices.base64(audio), mimeType }],
    };
  },
});

const voice = voiceList.shape.data.element.pick({ id: true, models: true, default: true });
const voices = voice.array();

export const listVoices = defineTool({
  name: "list_voices",
  title: "List voices",
  description: "Lists the available voices. Free.",
  operation,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({}),
  output: z.object({ voices }),
  async run(_args, { exchange, signal }) {
    const response = await exchange.call({ method: "GET", path: "/v1/audio/voices", signal });
    const { data } = voiceList.parse(await exchange.readJson(response, maxListBytes));
    return { structured: { voices: voices.parse(data) } };
  },
});
