import type { Upstream } from "@uag/catalog/types";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { tooLong, UpstreamFailure, unusableResponse } from "../failure.ts";
import type { ResponseStream } from "../generation.ts";
import { rawMember } from "../images/response.ts";
import { type ImageStream, tokensOfPartial } from "../images/stream.ts";
import type { ImageCall } from "../images/types.ts";
import { errorInside } from "../openai-compatible/errors.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";
import { eventFault, maxParsedBytes } from "../response-limits.ts";
import type { UsageReport } from "../usage-report.ts";
import { wholeEvent } from "../whole-event.ts";
import { imageUsageIn, unitsOfImageUsage } from "./image-usage.ts";

/** A 4K image without compression as base64, with some margin. */
const maxEventBytes = 33 * 1024 * 1024;
const nothing = Buffer.alloc(0);

/**
 * Streams partial images. The bytes pass through; the last complete image is held back in `closing`
 * until its bill is written.
 */
export class OpenAiImageStream implements ImageStream {
  state: ResponseStream["state"] = "open";
  failure: UpstreamFailure | undefined;
  closing: Buffer = nothing;
  usage: UsageReport | undefined;
  partials = 0;
  completed = 0;
  readonly #decoder = new SseDecoder({ maxEventBytes });
  readonly #wanted: number;
  readonly #upstream: Upstream;

  constructor(call: ImageCall, upstream: Upstream) {
    this.#wanted = call.request.count;
    this.#upstream = upstream;
  }

  get delivered(): ResponseStream["delivered"] {
    return { text: "", roughTokens: this.partials * tokensOfPartial };
  }

  push(chunk: Buffer): Buffer[] {
    return this.#decoder.push(chunk).flatMap((event) => this.#take(event));
  }

  end(): Buffer[] {
    const last = wholeEvent(this.#decoder.end());
    const out = last === undefined ? [] : this.#take(last);
    if (this.state === "open")
      this.#fail(new UpstreamFailure("transient", "the stream ended before it was finished", { status: 200 }));
    return out;
  }

  #take(event: SseEvent): Buffer[] {
    if (this.state !== "open" || event.data === undefined) return [];
    const name = event.name === "" ? typeIn(event.data) : event.name;
    if (name.endsWith(".partial_image")) {
      this.partials++;
      return [event.raw];
    }
    if (name.endsWith(".completed")) return this.#complete(event, event.data);
    const fault = event.data.length > maxParsedBytes ? tooLong(maxParsedBytes) : eventFault(event.data);
    if (fault !== undefined) {
      this.#fail(fault);
      return [];
    }
    const value = parsedJson(event.text);
    if (value === undefined) {
      this.#fail(unusableResponse("the upstream sent an event that is not JSON"));
      return [];
    }
    const failure = errorInside(value, this.#upstream, openAiVariant);
    if (failure !== undefined) this.usage = imageUsageIn(fieldsOf(value)) ?? this.usage;
    if (failure === undefined) return [event.raw];
    this.#fail(failure);
    return [];
  }

  #complete(event: SseEvent, data: Buffer): Buffer[] {
    const raw = rawMember(data, "usage");
    const units = raw && unitsOfImageUsage(parsedJson(raw.toString("utf8")));
    if (raw !== undefined && units !== undefined) this.usage = { units, raw };
    this.completed++;
    if (this.completed < this.#wanted) return [event.raw];
    this.state = "finished";
    this.closing = event.raw;
    return [];
  }

  #fail(failure: UpstreamFailure): void {
    this.state = "failed";
    this.failure = failure;
  }
}

/** The type of an event without a name. */
function typeIn(data: Buffer): string {
  const type = rawMember(data, "type");
  return textOf(type === undefined ? undefined : parsedJson(type.toString("utf8"))) ?? "";
}
