import type { ResponseEvent, StopReason, Tokens } from "../../conversation/events.ts";
import type { GenerationCall } from "../../generation.ts";
import { ResponseOutput } from "./output.ts";
import { responseId, responseObject } from "./response-object.ts";

/** A complete response as a response object. */
export function responseOf(events: readonly ResponseEvent[], call: GenerationCall): object {
  const output = new ResponseOutput(call);
  let id = "";
  let model: string | undefined;
  let tokens: Tokens | undefined;
  let stop: StopReason = "stop";
  for (const event of events) {
    if (event.type === "start") ({ id, model } = event);
    else if (event.type === "usage") ({ tokens } = event);
    else if (event.type === "stop") stop = event.reason;
    output.take(event);
  }
  return responseObject(call, {
    id: responseId(id, call.requestId),
    model: model ?? call.model.id,
    createdAt: Math.floor(Date.now() / 1_000),
    output: output.items,
    tokens,
    stop,
  });
}
