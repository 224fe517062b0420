import type { Upstream } from "@uag/catalog/types";
import { Needle } from "@uag/untrusted/needle";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { DeliveredText, deliveredAtOnce } from "../delivered.ts";
import type { ReplayedResponse } from "../generation.ts";
import { errorInside } from "../openai-compatible/errors.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";
import { PassThroughStream } from "../pass-through-stream.ts";
import type { Runs } from "../runs.ts";
import type { Transcript } from "../transcriptions/types.ts";
import type { UsageReport } from "../usage-report.ts";
import { transcriptionUsageIn } from "./transcription-usage.ts";

const delta = "transcript.text.delta";
/** The event that ends a stream: it has the whole text, and the usage. */
const done = "transcript.text.done";
const doneValue = new Needle(`"${done}"`);
const errorKey = new Needle('"error"');

/**
 * A transcript that is streamed while the audio is read (OpenAI's reference, transcript text
 * events). The bytes pass through; the last event is held back in `closing` until its bill is
 * written.
 */
export class OpenAiTranscriptStream extends PassThroughStream {
  closing: Buffer = Buffer.alloc(0);
  usage: UsageReport | undefined;
  readonly delivered = new DeliveredText(deltaOf);
  readonly #upstream: Upstream;

  constructor(upstream: Upstream) {
    super("delta");
    this.#upstream = upstream;
  }

  protected override take(event: SseEvent, data: Buffer, out: Runs): void {
    const isError = event.name === "error" || errorKey.indexIn(data) >= 0;
    if (isError || doneValue.indexIn(data) >= 0) {
      const value = fieldsOf(parsedJson(event.text));
      const failure = isError ? errorInside(value, this.#upstream, openAiVariant) : undefined;
      if (failure !== undefined || value["type"] === done) this.usage = transcriptionUsageIn(value) ?? this.usage;
      if (failure !== undefined) {
        this.fail(failure);
        return;
      }
      if (value["type"] === done) {
        this.closing = event.raw;
        this.state = "finished";
        return;
      }
    }
    this.delivered.add(data);
    out.add(event);
  }
}

function deltaOf(event: unknown): string {
  const { type, delta: text } = fieldsOf(event);
  return type === delta ? (textOf(text) ?? "") : "";
}

/** A complete transcript as a stream, for an upstream that does not stream although asked to. */
export function replayedTranscript({ fields, text, usage }: Transcript): ReplayedResponse {
  return {
    output: [encodeSse({ data: JSON.stringify({ type: delta, delta: text }) })],
    closing: encodeSse({ data: JSON.stringify({ ...fields, type: done }) }),
    usage,
    delivered: deliveredAtOnce(text),
  };
}
