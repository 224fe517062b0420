import type { Protocol } from "@uag/catalog/types.ts";
import { dashScopeSpeech } from "../dashscope/speech.ts";
import type { SpeechAdapter } from "./types.ts";

const adapters: Partial<Record<Protocol, SpeechAdapter>> = {
  dashscope: dashScopeSpeech,
};

/** How a provider is asked to speak; undefined when it does not. */
export function speechAdapter(protocol: Protocol): SpeechAdapter | undefined {
  return adapters[protocol];
}
