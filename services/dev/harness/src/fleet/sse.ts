export interface SseEvent {
  /** "message" unless the event has a name. */
  readonly event: string;
  readonly data: string;
}

function parseEvent(block: string): SseEvent | undefined {
  const data: string[] = [];
  let event = "message";
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, field, value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === "data") data.push(value);
    if (field === "event") event = value;
  }
  return data.length === 0 ? undefined : { event, data: data.join("\n") };
}

/**
 * The events of a body, each as soon as it is complete. Independent of the product's own parser,
 * which it tests.
 */
export async function* sseEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split(/\r\n\r\n|\n\n/);
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event) yield event;
    }
  }
  const last = parseEvent(text);
  if (last) yield last;
}
