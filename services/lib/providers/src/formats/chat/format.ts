import type { GenerationFormat } from "../../translate/client.ts";
import { chatCompletion } from "./completion.ts";
import { readChat } from "./read.ts";
import { ChatWriter } from "./writer.ts";

/** OpenAI's chat format, for upstreams of other protocols. */
export const chatFormat: GenerationFormat = {
  read: readChat,
  response: chatCompletion,
  openWriter: (call) => new ChatWriter(call),
};
