import type { GenerationFormat } from "../../translate/client.ts";
import { readGenerateContent } from "./read.ts";
import { generateContentResponse } from "./response.ts";
import { GeminiWriter } from "./writer.ts";

/** Gemini's format, for upstreams of other protocols. */
export const geminiFormat: GenerationFormat = {
  read: readGenerateContent,
  response: generateContentResponse,
  openWriter: (call) => new GeminiWriter(call),
};
