import type { Upstream } from "@uag/catalog/types";
import { Needle } from "@uag/untrusted/needle";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { fieldsOf, listOf } from "../conversation/fields.ts";
import { DeliveredText } from "../delivered.ts";
import type { GenerationCall } from "../generation.ts";
import { editMembers, topLevelMembers } from "../json-edit.ts";
import { PassThroughStream } from "../pass-through-stream.ts";
import { Runs } from "../runs.ts";
import type { UsageReport } from "../usage-report.ts";
import { errorInside } from "./errors.ts";
import { generatedText, quickText } from "./text.ts";
import { thoughtUnitOf, unitsOfUsage, usageIn, usageWithReasoningInside } from "./usage.ts";
import type { OpenAiVariant } from "./variant.ts";

const usageKey = new Needle('"usage"');
const errorKey = new Needle('"error"');
const done = Buffer.from("[DONE]");
const terminator = Buffer.from("data: [DONE]\n\n");
const colon = 58;
const opening = 123;

/**
 * An OpenAI stream for an OpenAI client: bytes pass through, except for a usage chunk the client
 * did not request. One that it did request is held back while it may be the last chunk, so that the
 * cost can be added.
 */
export class OpenAiStream extends PassThroughStream {
  usage: UsageReport | undefined;
  readonly delivered = new DeliveredText(generatedText, quickText);
  readonly #usageWanted: boolean;
  readonly #thoughtUnit: ReturnType<typeof thoughtUnitOf>;
  readonly #upstream: Upstream;
  readonly #variant: OpenAiVariant;
  /** A chunk with usage that may be the last. */
  #held: Buffer | undefined;

  constructor(call: GenerationCall, upstream: Upstream, variant: OpenAiVariant) {
    super("content");
    this.#usageWanted = call.usageWanted;
    this.#thoughtUnit = thoughtUnitOf(call.model);
    this.#upstream = upstream;
    this.#variant = variant;
  }

  get closing(): Buffer {
    return this.#held === undefined ? terminator : Buffer.concat([this.#held, terminator]);
  }

  override end(): Buffer[] {
    const last = super.end();
    if (this.state !== "failed") return last;
    const out = new Runs();
    this.#release(out);
    return [...out.buffers(), ...last];
  }

  protected override isTerminator(data: Buffer): boolean {
    return data.length === done.length && data.equals(done);
  }

  protected override take(event: SseEvent, data: Buffer, out: Runs): void {
    this.#release(out);
    if (event.name === "error" || errorKey.indexIn(data) >= 0) {
      const failure = errorInside(parsed(data), this.#upstream, this.#variant);
      if (failure !== undefined) {
        if (hasUsage(data)) this.#takeUsage(data);
        this.fail(failure);
        return;
      }
    }
    if (hasUsage(data)) this.#addUsage(event, data, out);
    else {
      this.delivered.add(data);
      out.add(event);
    }
  }

  #addUsage(event: SseEvent, data: Buffer, out: Runs): void {
    const reported = this.#takeUsage(data);
    if (reported === undefined) return;
    this.delivered.add(data);
    if (this.#usageWanted && mayBeLast(data)) this.#held = encoded(reported);
    else if (reported === data) out.add(event);
    else out.insert(encoded(reported));
  }

  #release(out: Runs): void {
    if (this.#held !== undefined) out.insert(this.#held);
    this.#held = undefined;
  }

  /**
   * Records the usage. Returns what the client gets: undefined for a usage-only chunk that it did
   * not request.
   */
  #takeUsage(data: Buffer): Buffer | undefined {
    const value = fieldsOf(parsed(data));
    const usage = usageIn(value);
    const units = unitsOfUsage(usage, this.#thoughtUnit);
    if (units === undefined) return data;
    if (usage !== value["usage"]) {
      this.usage = { units, raw: Buffer.from(JSON.stringify(usage)) };
      return data;
    }
    const members = topLevelMembers(data);
    const member = members.findLast(({ key }) => key === "usage");
    const raw = member === undefined ? Buffer.alloc(0) : Buffer.from(data.subarray(member.valueStart, member.end));
    this.usage = { units, raw };
    const { choices } = value;
    if (!this.#usageWanted && Array.isArray(choices) && choices.length === 0) return undefined;
    const reported = usageWithReasoningInside(usage);
    return reported === undefined ? data : editMembers(data, members, new Map([["usage", JSON.stringify(reported)]]));
  }
}

/** Whether the data has a member `usage` that is an object: most chunks contain `"usage":null`. */
function hasUsage(data: Buffer): boolean {
  for (let at = usageKey.indexIn(data); at >= 0; at = usageKey.indexIn(data, at + 1)) {
    let next = at + usageKey.length;
    while (data[next] === colon || (data[next] as number) <= 32) next++;
    if (data[next] === opening) return true;
  }
  return false;
}

/** Whether no candidate of a chunk continues. */
function mayBeLast(data: Buffer): boolean {
  return listOf(fieldsOf(parsed(data))["choices"]).every(
    (choice) => typeof fieldsOf(choice)["finish_reason"] === "string",
  );
}

function encoded(data: Buffer): Buffer {
  return encodeSse({ data: data.toString("utf8") });
}

function parsed(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString("utf8"));
  } catch {
    return undefined;
  }
}
