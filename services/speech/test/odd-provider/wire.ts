import type { Wire } from "@uag/harness/odd-provider/case";

/** A provider's speech protocol. */
export interface SpeechWire extends Wire {
  events(usage: unknown): string[];
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
