const message = { id: "msg_1", type: "message", role: "assistant", model: "claude" };

/** A complete message (Anthropic's reference, create a message). */
export function messageOf(text: string, usage: unknown): string {
  return JSON.stringify({
    ...message,
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage,
  });
}

const event = (type: string, data: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

/** A streamed message, which reports its usage in one event (Anthropic's guide, streaming). */
export function messageEvents(texts: readonly string[], usage: unknown): string[] {
  return [
    event("message_start", { message: { ...message, content: [], stop_reason: null, stop_sequence: null } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...texts.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
    event("content_block_stop", { index: 0 }),
    event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage }),
    event("message_stop"),
  ];
}
