import type { SseEvent } from "@uag/untrusted/sse/event";
import { parsedJson } from "./conversation/fields.ts";

const done = "[DONE]";

/**
 * The last event of a stream that ended without its final blank line. Some vendors omit it; where
 * the data ends halfway the stream was cut off, and a client's parser must not see it.
 */
export function wholeEvent(last: SseEvent | undefined): SseEvent | undefined {
  if (last?.data === undefined) return undefined;
  const { text } = last;
  return text === done || parsedJson(text) !== undefined ? last : undefined;
}
