import type { Upstream } from "@uag/catalog/types";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { DeliveredText } from "../delivered.ts";
import { UpstreamFailure } from "../failure.ts";
import { PassThroughStream } from "../pass-through-stream.ts";
import type { Runs } from "../runs.ts";
import type { UsageReport } from "../usage-report.ts";
import { anthropicErrorInside } from "./errors.ts";
import { eventText } from "./text.ts";
import { AnthropicUsage } from "./usage.ts";

const blankLine = Buffer.from("\n\n");

/**
 * Anthropic's stream for a client of the same format: each event is passed on as received, the last
 * one once the bill is written.
 */
export class AnthropicStream extends PassThroughStream {
  closing: Buffer = Buffer.alloc(0);
  readonly delivered = new DeliveredText(eventText);
  readonly #usage: AnthropicUsage;
  readonly #upstream: Upstream;

  constructor(upstream: Upstream) {
    super("text");
    this.#upstream = upstream;
    this.#usage = new AnthropicUsage(upstream.model);
  }

  get usage(): UsageReport | undefined {
    return this.#usage.report;
  }

  get soFar(): UsageReport | undefined {
    return this.#usage.soFar;
  }

  override end(): Buffer[] {
    const wasOpen = this.state === "open";
    const buffers = super.end();
    // The last event lacks its terminating line.
    if (wasOpen && this.closing.length > 0) this.closing = Buffer.concat([this.closing, blankLine]);
    return buffers;
  }

  protected override take(event: SseEvent, data: Buffer, out: Runs): void {
    switch (event.name || textOf(fieldsOf(parsedJson(event.text))["type"])) {
      case "message_start":
        this.#usage.add(fieldsOf(fieldsOf(parsedJson(event.text))["message"])["usage"], { final: false });
        break;
      case "message_delta": {
        const { delta, usage } = fieldsOf(parsedJson(event.text));
        const { stop_reason } = fieldsOf(delta);
        this.#usage.addDelta(usage, { final: typeof stop_reason === "string" });
        break;
      }
      case "message_stop":
        this.#usage.end();
        this.state = "finished";
        this.closing = Buffer.from(event.raw);
        return;
      case "error": {
        this.#usage.add(fieldsOf(parsedJson(event.text))["usage"], { final: true });
        const failure = anthropicErrorInside(event.text, this.#upstream);
        this.fail(failure ?? new UpstreamFailure("transient", "the stream failed with an error", { status: 200 }));
        return;
      }
      case "content_block_start":
      case "content_block_delta":
        this.delivered.add(data);
        break;
    }
    out.add(event);
  }
}
