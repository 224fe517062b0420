import { encodeSse } from "@uag/untrusted/sse/encoder";
import { type Fields, fieldsOf, isFields, listOf, parsedJson } from "../conversation/fields.ts";
import { deliveredAtOnce } from "../delivered.ts";
import type { GenerationCall, ReplayedResponse, UnaryResponse } from "../generation.ts";

const terminator = Buffer.from("data: [DONE]\n\n");

/**
 * A complete chat completion as a stream of chunks (OpenAI's reference, the chat completion chunk
 * object): one with all content, one with the finish reasons, one with the usage if it is wanted.
 */
export function replayedChat(
  { body, usage, deliveredText }: UnaryResponse,
  { usageWanted }: Pick<GenerationCall, "usageWanted">,
): ReplayedResponse {
  const { choices, usage: reported, ...completion } = fieldsOf(parsedJson(body.toString("utf8")));
  const head = { ...completion, object: "chat.completion.chunk" };
  const all = listOf(choices).map(fieldsOf);
  const chunks: object[] = [
    { ...head, choices: all.map(contentOf) },
    { ...head, choices: all.map(({ index, finish_reason }) => ({ index, delta: {}, finish_reason })) },
  ];
  return {
    output: chunks.map(encoded),
    closing:
      usageWanted && isFields(reported)
        ? Buffer.concat([encoded({ ...head, choices: [], usage: reported }), terminator])
        : terminator,
    usage,
    delivered: deliveredAtOnce(deliveredText()),
  };
}

function encoded(chunk: object): Buffer {
  return encodeSse({ data: JSON.stringify(chunk) });
}

function contentOf({ index, message, logprobs }: Fields): object {
  const { tool_calls: calls, ...delta } = fieldsOf(message);
  // Chunks number a message's tool calls; a complete message does not.
  const numbered = listOf(calls).map((call, place) => ({ index: place, ...fieldsOf(call) }));
  return {
    index,
    delta: { ...delta, ...(numbered.length > 0 && { tool_calls: numbered }) },
    ...(logprobs !== undefined && { logprobs }),
    finish_reason: null,
  };
}
