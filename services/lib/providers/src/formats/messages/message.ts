import { plainCallId } from "../../conversation/call-id.ts";
import type { CallEvent, ResponseEvent, StopEvent, Tokens } from "../../conversation/events.ts";
import { fieldsOf, parsedJson } from "../../conversation/fields.ts";
import type { GenerationCall } from "../../generation.ts";
import { messageId, messageUsage, refusalDetails, stopReasons } from "./reasons.ts";

type Block =
  | { type: "text" | "refusal"; text: string }
  | { type: "thinking"; text: string; signature: string }
  | { type: "redacted"; data: string }
  | { type: "call"; called: CallEvent; input: string };

/** A complete response as a message. */
export function messageOf(events: readonly ResponseEvent[], call: GenerationCall): object {
  const blocks: Block[] = [];
  let start: { id: string; model: string | undefined } = { id: "", model: undefined };
  let stop: StopEvent | undefined;
  let tokens: Tokens | undefined;
  let refused = "";
  for (const event of events) {
    if (event.type === "start") start = event;
    else if (event.type === "usage") ({ tokens } = event);
    else if (event.type === "stop") stop = event;
    else {
      addTo(blocks, event);
      if (event.type === "refusal") refused += event.text;
    }
  }
  const reason = stop?.reason ?? "stop";
  return {
    id: messageId(start.id, call.requestId),
    type: "message",
    role: "assistant",
    model: start.model ?? call.model.id,
    content: blocks.map(blockFields),
    stop_reason: stopReasons[reason],
    stop_sequence: stop?.stopSequence ?? null,
    ...refusalDetails(reason, refused),
    usage: messageUsage(tokens),
  };
}

function addTo(blocks: Block[], event: ResponseEvent): void {
  const last = blocks.at(-1);
  switch (event.type) {
    case "text":
    case "refusal":
      if (last?.type === event.type) last.text += event.text;
      else blocks.push({ type: event.type, text: event.text });
      return;
    case "thinking":
      if (last?.type === "thinking" && last.signature === "") last.text += event.text;
      else blocks.push({ type: "thinking", text: event.text, signature: "" });
      return;
    case "signature":
      if (last?.type === "thinking") last.signature = event.signature;
      else blocks.push({ type: "thinking", text: "", signature: event.signature });
      return;
    case "redacted":
      blocks.push({ type: "redacted", data: event.data });
      return;
    case "call":
      blocks.push({ type: "call", called: event, input: "" });
      return;
    case "input": {
      const block = blocks.find((item) => item.type === "call" && item.called.call === event.call);
      if (block?.type === "call") block.input += event.json;
      return;
    }
  }
}

function blockFields(block: Block): object {
  switch (block.type) {
    case "text":
    case "refusal":
      return { type: "text", text: block.text };
    case "thinking":
      return { type: "thinking", thinking: block.text, signature: block.signature };
    case "redacted":
      return { type: "redacted_thinking", data: block.data };
    case "call": {
      const { id, name } = block.called;
      // An input truncated by a token limit is not valid JSON: Anthropic returns an empty one then.
      return { type: "tool_use", id: plainCallId(id), name, input: fieldsOf(parsedJson(block.input)) };
    }
  }
}
