import type { Upstream } from "@uag/catalog/types";
import { Needle } from "@uag/untrusted/needle";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { fieldsOf } from "../conversation/fields.ts";
import { DeliveredText } from "../delivered.ts";
import type { GenerationCall } from "../generation.ts";
import { editMembers, topLevelMembers } from "../json-edit.ts";
import { PassThroughStream } from "../pass-through-stream.ts";
import type { Runs } from "../runs.ts";
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
 * did not request.
 */
export class OpenAiStream extends PassThroughStream {
  readonly closing = terminator;
  usage: UsageReport | undefined;
  readonly delivered = new DeliveredText(generatedText, quickText);
  readonly #usageWanted: boolean;
  readonly #thoughtUnit: ReturnType<typeof thoughtUnitOf>;
  readonly #upstream: Upstream;
  readonly #variant: OpenAiVariant;

  constructor(call: GenerationCall, upstream: Upstream, variant: OpenAiVariant) {
    super("content");
    this.#usageWanted = call.usageWanted;
    this.#thoughtUnit = thoughtUnitOf(call.model);
    this.#upstream = upstream;
    this.#variant = variant;
  }

  protected override isTerminator(data: Buffer): boolean {
    return data.length === done.length && data.equals(done);
  }

  protected override take(event: SseEvent, data: Buffer, out: Runs): void {
    if (event.name === "error" || errorKey.indexIn(data) >= 0) {
      const failure = errorInside(parsed(data), this.#upstream, this.#variant);
      if (failure !== undefined) {
        if (hasUsage(data)) this.#takeUsage(data);
        this.fail(failure);
        return;
      }
    }
    const reported = hasUsage(data) ? this.#takeUsage(data) : data;
    if (reported === undefined) return;
    this.delivered.add(data);
    if (reported === data) out.add(event);
    else out.insert(encodeSse({ data: reported.toString("utf8") }));
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

function parsed(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString("utf8"));
  } catch {
    return undefined;
  }
}
