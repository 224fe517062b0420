import type { GenerationCall } from "../../generation.ts";

/** Frames the responses of a stream: as events with `alt=sse`, else as one JSON array. */
export class Framing {
  readonly #isArray: boolean;
  #isFirst = true;

  constructor({ framing }: Pick<GenerationCall, "framing">) {
    this.#isArray = framing === "array";
  }

  /** @param json one response */
  frame(json: string): string {
    if (!this.#isArray) return `data: ${json}\n\n`;
    const before = this.#isFirst ? "[" : ",\r\n";
    this.#isFirst = false;
    return before + json;
  }

  get end(): string {
    if (!this.#isArray) return "";
    return this.#isFirst ? "[]" : "]";
  }
}
