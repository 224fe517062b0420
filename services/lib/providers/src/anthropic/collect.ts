import type { Upstream } from "@uag/catalog/types";
import { countOf, type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import { eventsInTurns } from "../reading/whole-stream.ts";
import { anthropicErrorInside } from "./errors.ts";
import { AnthropicUsage } from "./usage.ts";

/** The text member that a delta extends, by the delta's type. */
const extended: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
};

/**
 * Assembles a complete stream into one message, for an upstream that streams unasked (Anthropic's
 * guide, streaming messages).
 * @throws {UpstreamFailure} for an error in the stream, an event that is not JSON, or a missing end
 */
export async function collectedMessage(body: Buffer, upstream: Upstream): Promise<Buffer> {
  const message = new CollectedMessage(upstream.model);
  for await (const event of eventsInTurns(body)) {
    if (event.text === "" || message.isComplete) continue;
    const failure = anthropicErrorInside(event.text, upstream);
    if (failure !== undefined) throw failure;
    const data = parsedJson(event.text);
    if (!isFields(data)) throw broken("the upstream sent an event that is not JSON");
    message.add(data);
  }
  if (!message.isComplete) throw broken("the stream ended before it was finished");
  return Buffer.from(JSON.stringify(message.message()));
}

interface CollectedBlock {
  readonly fields: Record<string, unknown>;
  readonly citations: unknown[];
  json: string;
}

class CollectedMessage {
  isComplete = false;
  #message: Fields = {};
  readonly #usage: AnthropicUsage;
  readonly #blocks = new Map<number, CollectedBlock>();

  constructor(model: string) {
    this.#usage = new AnthropicUsage(model);
  }

  add(data: Fields): void {
    const index = countOf(data["index"]) ?? 0;
    switch (data["type"]) {
      case "message_start":
        this.#message = fieldsOf(data["message"]);
        this.#usage.add(this.#message["usage"], { final: false });
        return;
      case "content_block_start":
        this.#blocks.set(index, opened(fieldsOf(data["content_block"])));
        return;
      case "content_block_delta":
        this.#extend(this.#blocks.get(index), fieldsOf(data["delta"]));
        return;
      case "message_delta":
        this.#message = { ...this.#message, ...fieldsOf(data["delta"]) };
        this.#usage.addDelta(data["usage"], { final: true });
        return;
      case "message_stop":
        this.isComplete = true;
    }
  }

  message(): Fields {
    const content = [...this.#blocks].sort(([a], [b]) => a - b).map(([, block]) => completed(block));
    const { report } = this.#usage;
    const usage = report === undefined ? {} : { usage: parsedJson(report.raw.toString("utf8")) };
    return { ...this.#message, content, ...usage };
  }

  #extend(block: CollectedBlock | undefined, delta: Fields): void {
    if (block === undefined) return;
    const { fields } = block;
    const member = extended[textOf(delta["type"]) ?? ""];
    if (member !== undefined) fields[member] = `${fields[member] ?? ""}${delta[member] ?? ""}`;
    else if (delta["type"] === "input_json_delta") block.json += textOf(delta["partial_json"]) ?? "";
    else if (delta["type"] === "citations_delta") block.citations.push(delta["citation"]);
  }
}

function opened(fields: Fields): CollectedBlock {
  return { fields: { ...fields }, citations: [...listOf(fields["citations"])], json: "" };
}

function completed({ fields, citations, json }: CollectedBlock): Fields {
  const whole = citations.length === 0 ? fields : { ...fields, citations };
  return json === "" ? whole : { ...whole, input: parsedJson(json) ?? {} };
}

function broken(text: string): UpstreamFailure {
  return new UpstreamFailure("transient", text, { status: 200 });
}
