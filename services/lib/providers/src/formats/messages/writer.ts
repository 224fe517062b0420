import type { ResponseEvent, StopEvent, Tokens } from "../../conversation/events.ts";
import type { GenerationCall } from "../../generation.ts";
import type { ResponseWriter } from "../../translate/client.ts";
import { BlockSequence, eventText } from "./blocks.ts";
import { messageId, messageUsage, refusalDetails, stopReasons } from "./reasons.ts";

/** Writes a response as Anthropic's events. */
export class MessageWriter implements ResponseWriter {
  readonly closing = Buffer.from(eventText("message_stop", {}));
  readonly #call: GenerationCall;
  readonly #blocks = new BlockSequence();
  #tokens: Tokens | undefined;
  #stop: StopEvent | undefined;
  #refused = "";
  #started = false;

  constructor(call: GenerationCall) {
    this.#call = call;
  }

  write(event: ResponseEvent): string {
    const opening = this.#started || event.type === "start" ? "" : this.#start("", undefined);
    return opening + this.#written(event);
  }

  #written(event: ResponseEvent): string {
    switch (event.type) {
      case "start":
        return this.#start(event.id, event.model);
      case "usage":
        this.#tokens = event.tokens;
        return "";
      case "idle":
        return eventText("ping", {});
      case "stop":
        this.#stop = event;
        return this.#blocks.finish();
      case "end":
        return this.#end();
      case "call":
        return this.#blocks.call(event);
      case "input":
        return this.#blocks.input(event.call, event.json);
      default:
        if (event.type === "refusal") this.#refused += event.text;
        return this.#blocks.content(event);
    }
  }

  #start(id: string, model: string | undefined): string {
    if (this.#started) return "";
    this.#started = true;
    const message = {
      id: messageId(id, this.#call.requestId),
      type: "message",
      role: "assistant",
      model: model ?? this.#call.model.id,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: messageUsage(undefined),
    };
    return eventText("message_start", { message }) + eventText("ping", {});
  }

  #end(): string {
    const reason = this.#stop?.reason ?? "stop";
    const delta = {
      stop_reason: stopReasons[reason],
      stop_sequence: this.#stop?.stopSequence ?? null,
      ...refusalDetails(reason, this.#refused),
    };
    return this.#blocks.finish() + eventText("message_delta", { delta, usage: messageUsage(this.#tokens) });
  }
}
