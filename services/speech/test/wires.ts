import type { Wire } from "@uag/harness/odd-provider/case";

/** A protocol with streams. */
export interface StreamedWire extends Wire {
  events(usage: unknown): string[];
}

/** A provider's speech protocol. */
export interface SpeechWire extends StreamedWire {
  /** A response that is not streamed, with this audio in base64. */
  spoken(audio: string, usage: unknown): string;
}

/** One second of 24 kHz, 16 bits, one channel. */
export const pcm = Buffer.alloc(48_000, 1);

const spoken = (data: string, usage: unknown, reason = "stop"): string =>
  JSON.stringify({ output: { finish_reason: reason, audio: { data } }, usage });
const event = (message: string): string => `id:1\nevent:result\n:HTTP_STATUS/200\ndata:${message}\n\n`;

/** Model Studio, qwen-tts API: each event reports the usage of the whole text. */
export const speechWire: SpeechWire = {
  usageName: "usage",
  usage: { input_tokens: 0, output_tokens: 0, characters: 5 },
  spoken,
  whole: (usage) => spoken(pcm.toString("base64"), usage),
  events: (usage) => [event(spoken(pcm.toString("base64"), usage, "null")), event(spoken("", usage))],
  error: (more) => JSON.stringify({ code: "InternalError", message: "boom", ...more }),
};

/** The text of {@link transcriptWire}. */
export const text = "Hello there.";
const segments = [{ id: 0, start: 0, end: 2.8, text: ` ${text}` }];
const textEvent = (type: string, more: object): string =>
  `data: ${JSON.stringify({ type: `transcript.text.${type}`, ...more })}\n\n`;

/** A part of a streamed transcript. */
export const delta = (part: string): string => textEvent("delta", { delta: part });

/** OpenAI's transcription, with this usage. */
export const transcriptWire = (usage: object): StreamedWire => ({
  usageName: "usage",
  usage,
  whole: (reported) => JSON.stringify({ text, duration: 2.8, segments, usage: reported }),
  events: (reported) => [delta(text), textEvent("done", { text, segments, usage: reported })],
  error: (more) => JSON.stringify({ error: { message: "boom", type: "server_error" }, ...more }),
});

/** Usage by tokens, and by the length of the audio. */
export const tokens = {
  type: "tokens",
  input_tokens: 30,
  input_token_details: { text_tokens: 0, audio_tokens: 30 },
  output_tokens: 8,
  total_tokens: 38,
};
export const seconds = { type: "duration", seconds: 3 };
