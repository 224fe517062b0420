import type { ClientFormat } from "../../translate/client.ts";
import { readMessages } from "./read.ts";
import { wholeMessage } from "./whole.ts";
import { MessageWriter } from "./writer.ts";

/** Anthropic's messages format, for upstreams of other protocols. */
export const messagesFormat: ClientFormat = {
  read: readMessages,
  whole: wholeMessage,
  openWriter: (call) => new MessageWriter(call),
};
