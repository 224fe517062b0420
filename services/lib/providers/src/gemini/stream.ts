import type { Upstream } from "@uag/catalog/types";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { spokenText } from "../conversation/events.ts";
import { SpokenText } from "../delivered.ts";
import { UpstreamFailure } from "../failure.ts";
import { Framing } from "../formats/gemini/framing.ts";
import type { GenerationCall } from "../generation.ts";
import { PassThroughStream } from "../pass-through-stream.ts";
import type { Runs } from "../runs.ts";
import type { UsageReport } from "../usage-report.ts";
import { GeminiReader } from "./reader.ts";

const blankLine = Buffer.from("\r\n\r\n");

/**
 * Gemini's stream for a client of the same format: each event is passed on as received, or as an
 * element of an array, and what ends the response once the bill is written.
 */
export class GeminiStream extends PassThroughStream {
  readonly delivered = new SpokenText();
  readonly #reader: GeminiReader;
  readonly #isArray: boolean;
  readonly #framing: Framing;
  #last: Buffer[] = [];

  constructor(call: GenerationCall, upstream: Upstream) {
    super("text");
    this.#reader = new GeminiReader(upstream, (name) => name);
    this.#isArray = call.framing === "array";
    this.#framing = new Framing(call);
  }

  get closing(): Buffer {
    return Buffer.concat([...this.#last, Buffer.from(this.#framing.end)]);
  }

  get usage(): UsageReport | undefined {
    return this.#reader.usage;
  }

  get soFar(): UsageReport | undefined {
    return this.#reader.soFar;
  }

  override end(): Buffer[] {
    const held = this.#last.length;
    const buffers = super.end();
    // The last event lacks its terminating line.
    if (this.#last.length > held && !this.#isArray) this.#last.push(blankLine);
    return buffers;
  }

  protected override get isComplete(): boolean {
    return this.#reader.end() !== undefined;
  }

  protected override take(event: SseEvent, data: Buffer, out: Runs): void {
    try {
      for (const each of this.#reader.event(event)) this.delivered.add(spokenText(each));
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      this.fail(error);
      return;
    }
    const framed = this.#isArray ? Buffer.from(this.#framing.frame(data.toString("utf8"))) : undefined;
    if (this.isComplete) this.#last.push(framed ?? Buffer.from(event.raw));
    else if (framed === undefined) out.add(event);
    else out.insert(framed);
  }
}
