import { encodeSse } from "@uag/untrusted/sse/encoder";
import { type Fields, fieldsOf, listOf, parsedJson } from "../conversation/fields.ts";
import { deliveredAtOnce } from "../delivered.ts";
import type { ReplayedResponse, UnaryResponse } from "../generation.ts";

/** A complete message as a stream of events (Anthropic's guide, streaming messages). */
export function replayedMessage({ body, usage, deliveredText }: UnaryResponse): ReplayedResponse {
  const message = fieldsOf(parsedJson(body.toString("utf8")));
  const { content, stop_reason, stop_sequence, usage: reported } = message;
  const events: Fields[] = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
    ...listOf(content).flatMap((block, index) => eventsOf(fieldsOf(block), index)),
    { type: "message_delta", delta: { stop_reason, stop_sequence: stop_sequence ?? null }, usage: reported },
  ];
  return {
    output: events.map(encoded),
    closing: encoded({ type: "message_stop" }),
    usage,
    delivered: deliveredAtOnce(deliveredText()),
  };
}

const encoded = (event: Fields): Buffer => encodeSse({ name: String(event["type"]), data: JSON.stringify(event) });

function eventsOf(block: Fields, index: number): Fields[] {
  const { start, deltas } = parted(block);
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** A block as it begins, and what follows; blocks without deltas of their own begin complete. */
function parted(block: Fields): { start: Fields; deltas: Fields[] } {
  switch (block["type"]) {
    case "text":
      return { start: { ...block, text: "" }, deltas: [{ type: "text_delta", text: block["text"] }] };
    case "thinking": {
      const { thinking, signature } = block;
      const deltas: Fields[] = [{ type: "thinking_delta", thinking }];
      if (signature !== undefined) deltas.push({ type: "signature_delta", signature });
      return { start: { ...block, thinking: "", signature: "" }, deltas };
    }
    case "tool_use":
    case "server_tool_use": {
      const partialJson = JSON.stringify(block["input"] ?? {});
      return { start: { ...block, input: {} }, deltas: [{ type: "input_json_delta", partial_json: partialJson }] };
    }
    default:
      return { start: block, deltas: [] };
  }
}
