import type { ClientFormat } from "../../translate/client.ts";
import { readChat } from "./read.ts";
import { wholeChat } from "./whole.ts";
import { ChatWriter } from "./writer.ts";

/** OpenAI's chat format, for upstreams of other protocols. */
export const chatFormat: ClientFormat = {
  read: readChat,
  whole: wholeChat,
  openWriter: (call) => new ChatWriter(call),
};
