import type { GenerationFormat } from "../../translate/client.ts";
import { messageOf } from "./message.ts";
import { readMessages } from "./read.ts";
import { MessageWriter } from "./writer.ts";

/** Anthropic's messages format, for upstreams of other protocols. */
export const messagesFormat: GenerationFormat = {
  read: readMessages,
  response: messageOf,
  openWriter: (call) => new MessageWriter(call),
};
