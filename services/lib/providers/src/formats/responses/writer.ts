import type { ResponseEvent, StopReason, Tokens } from "../../conversation/events.ts";
import type { GenerationCall } from "../../generation.ts";
import type { ResponseWriter } from "../../translate/client.ts";
import { ResponseOutput } from "./output.ts";
import { responseId, responseObject, statusOf } from "./response-object.ts";

/** A stream's last events repeat everything, four times: log probabilities of up to 4 MB each. */
const maxLogprobs = 1_000;

/** Writes a response as the Responses format's events. */
export class ResponsesWriter implements ResponseWriter {
  readonly #call: GenerationCall;
  readonly #output: ResponseOutput;
  readonly #createdAt = Math.floor(Date.now() / 1_000);
  #id: string;
  #model: string;
  #tokens: Tokens | undefined;
  #stop: StopReason | undefined;
  #closing: Buffer | undefined;
  #started = false;
  #written = 0;

  constructor(call: GenerationCall) {
    this.#call = call;
    this.#output = new ResponseOutput(call, maxLogprobs);
    this.#id = responseId("", call.requestId);
    this.#model = call.model.id;
  }

  /** The last event, which holds the whole response. */
  get closing(): Buffer {
    this.#stop ??= "stop";
    this.#closing ??= Buffer.from(this.#responseEvent(`response.${statusOf(this.#stop)}`));
    return this.#closing;
  }

  write(event: ResponseEvent): string {
    if (event.type === "idle") return ": ping\n\n";
    if (event.type === "start" && !this.#started) {
      this.#id = responseId(event.id, this.#call.requestId);
      this.#model = event.model ?? this.#model;
    }
    let out = this.#start();
    if (event.type === "usage") this.#tokens = event.tokens;
    // The stop itself comes with the closing: what is shown until then is in progress.
    for (const { type, ...fields } of this.#output.take(event)) out += this.#event(type, fields);
    if (event.type === "stop") this.#stop = event.reason;
    return out;
  }

  #start(): string {
    if (this.#started) return "";
    this.#started = true;
    return this.#responseEvent("response.created") + this.#responseEvent("response.in_progress");
  }

  #responseEvent(type: string): string {
    const response = responseObject(this.#call, {
      id: this.#id,
      model: this.#model,
      createdAt: this.#createdAt,
      output: this.#output.items,
      tokens: this.#tokens,
      stop: this.#stop,
    });
    return this.#event(type, { response });
  }

  #event(type: string, fields: object): string {
    const sequence = { type, sequence_number: this.#written++ };
    return `event: ${type}\ndata: ${JSON.stringify({ ...sequence, ...fields })}\n\n`;
  }
}
