import { chatFormat } from "../src/formats/chat/format.ts";
import { geminiFormat } from "../src/formats/gemini/format.ts";
import { messagesFormat } from "../src/formats/messages/format.ts";
import { responsesFormat } from "../src/formats/responses/format.ts";

/** The formats of conversations, by operation. */
export const conversationFormats = {
  "chat.completions": chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  generate_content: geminiFormat,
} as const;

export type ConversationFormat = keyof typeof conversationFormats;
