import type { ResponseEvent, StopReason, Tokens } from "../../conversation/events.ts";
import type { GenerationCall } from "../../generation.ts";
import type { ResponseWriter } from "../../translate/client.ts";
import { CandidateParts } from "./candidate-parts.ts";
import { Framing } from "./framing.ts";
import { candidate, responseId, showsThoughts, usageMetadata } from "./response-object.ts";

/** Writes a response as a stream of responses that each have part of the content. */
export class GeminiWriter implements ResponseWriter {
  readonly #call: GenerationCall;
  readonly #framing: Framing;
  readonly #candidates = new Map<number, CandidateParts>();
  readonly #stops = new Map<number, StopReason>();
  #id = "";
  #model: string;
  #tokens: Tokens | undefined;
  #closing: Buffer | undefined;

  constructor(call: GenerationCall) {
    this.#call = call;
    this.#framing = new Framing(call);
    this.#model = call.model.id;
  }

  /** The response that ends every candidate and reports the usage. */
  get closing(): Buffer {
    this.#closing ??= Buffer.from(this.#ending());
    return this.#closing;
  }

  write(event: ResponseEvent): string {
    if (event.type === "start") {
      this.#id = event.id;
      this.#model = event.model ?? this.#model;
    } else if (event.type === "usage") this.#tokens = event.tokens;
    if (!("candidate" in event)) return "";
    const { candidate: index } = event;
    if (event.type === "stop") this.#stops.set(index, event.reason);
    const parts = this.#partsOf(index).take(event);
    return parts.length === 0 ? "" : this.#response({ candidates: [candidate(index, parts)] });
  }

  #ending(): string {
    const stops = this.#stops.size === 0 ? new Map<number, StopReason>([[0, "stop"]]) : this.#stops;
    const candidates = [...stops].map(([index, reason]) => candidate(index, [], reason));
    return this.#response({ candidates, ...usageMetadata(this.#tokens) }) + this.#framing.end;
  }

  #partsOf(index: number): CandidateParts {
    const known = this.#candidates.get(index) ?? new CandidateParts(showsThoughts(this.#call));
    this.#candidates.set(index, known);
    return known;
  }

  #response(fields: object): string {
    const id = responseId(this.#id, this.#call.requestId);
    return this.#framing.frame(JSON.stringify({ ...fields, modelVersion: this.#model, responseId: id }));
  }
}
