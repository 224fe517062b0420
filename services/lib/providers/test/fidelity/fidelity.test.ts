import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { price } from "@uag/catalog/price";
import type { Model } from "@uag/catalog/types";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import type { GenerationAdapter, GenerationCall } from "../../src/generation.ts";
import { generationAdapter } from "../../src/registry.ts";
import type { UsageReport } from "../../src/usage-report.ts";
import { type ConversationFormat, conversationFormats } from "../formats.ts";
import { unitsAsNumbers } from "../golden.ts";
import { anthropicCases } from "./anthropic-cases.ts";
import type { FidelityCase, Json, Part } from "./case.ts";
import { modelNamed } from "./catalog.ts";
import { compatibleCases } from "./compatible-cases.ts";
import { geminiCases } from "./gemini-cases.ts";
import {
  completionOf,
  generatedOf,
  messageOf,
  nextRequests,
  responseOf,
  type View,
  viewOfCompletion,
  viewOfGenerated,
  viewOfMessage,
  viewOfResponse,
} from "./views.ts";

const formats: Readonly<
  Record<ConversationFormat, { whole: (events: readonly Json[]) => Json; view: (body: Json) => View }>
> = {
  "chat.completions": { whole: completionOf, view: viewOfCompletion },
  messages: { whole: messageOf, view: viewOfMessage },
  responses: { whole: responseOf, view: viewOfResponse },
  generate_content: { whole: generatedOf, view: viewOfGenerated },
};

/** Gemini's clients see thoughts only if they ask for them. */
const asked = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

function callOf(model: Model, fields: Json, stream: boolean): GenerationCall {
  const body = Buffer.from(JSON.stringify(fields));
  return {
    requestId: "req_1",
    body,
    fields,
    model,
    stream,
    usageWanted: true,
    outputCap: undefined,
    runsTools: false,
    headers: [],
  };
}

/** The client's view of a provider's response, and the usage that is billed. */
function received(
  adapter: GenerationAdapter,
  { response, model: id }: FidelityCase,
  format: ConversationFormat,
): { view: View; usage: UsageReport | undefined } {
  const model = modelNamed(id);
  const upstream = model.upstreams[0] ?? assert.fail();
  const { whole, view } = formats[format];
  if ("body" in response) {
    const decoded = adapter.decode(Buffer.from(JSON.stringify(response.body)), callOf(model, asked, false), upstream);
    return { view: view(JSON.parse(decoded.body.toString("utf8")) as Json), usage: decoded.usage };
  }
  const stream = adapter.openStream(callOf(model, { ...asked, stream: true }, true), upstream);
  const sent = response.events.map((data) => (data === "[DONE]" ? "data: [DONE]\n\n" : sse(data)));
  const output = [...stream.push(Buffer.from(sent.join(""))), ...stream.end(), stream.closing];
  assert.equal(stream.state, "finished", String(stream.failure));
  return { view: view(whole(eventsOf(Buffer.concat(output).toString("utf8")))), usage: stream.usage };
}

function sse(data: Json): string {
  const name = typeof data["type"] === "string" ? `event: ${data["type"]}\n` : "";
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

function eventsOf(stream: string): Json[] {
  const lines = stream.split("\n").filter((line) => line.startsWith("data: ") && line !== "data: [DONE]");
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as Json);
}

/** Chat has no order between thinking, text and calls. */
function unordered(parts: readonly Part[]): Part[] {
  const textOf = (type: "text" | "thinking"): string =>
    parts.map((part) => (part.type === type ? part.text : "")).join("");
  const texts = (["thinking", "text"] as const).map((type): Part => ({ type, text: textOf(type) }));
  return [
    ...texts.filter((part) => part.type !== "call" && part.text !== ""),
    ...parts.filter(({ type }) => type === "call"),
  ];
}

const { signal } = new AbortController();

for (const fidelityCase of [...anthropicCases, ...geminiCases, ...compatibleCases]) {
  const { title, model: id, parts, finish, chatFinish = finish, units, costNanoUsd, returned = [] } = fidelityCase;
  describe(`a response of ${id} with ${title}`, () => {
    for (const format of Object.keys(formats) as ConversationFormat[]) {
      const model = modelNamed(id);
      const upstream = model.upstreams[0] ?? assert.fail();
      const adapter = generationAdapter(conversationFormats[format], upstream) ?? assert.fail();

      test(`${format} clients get its content in order, its finish reason and an exact bill`, () => {
        const { view, usage } = received(adapter, fidelityCase, format);
        assert.deepEqual(view.parts, format === "chat.completions" ? unordered(parts) : parts);
        assert.equal(view.finish, format === "chat.completions" ? chatFinish : finish);
        assert.deepEqual(unitsAsNumbers(usage?.units), units);
        assert.deepEqual(price(usage?.units ?? [], model.price), {
          pricing: Pricing.EXACT,
          costNanoUsd: BigInt(costNanoUsd),
        });
      });

      for (const piece of returned)
        test(`${format} clients send ${piece} back to the provider with the next request`, async () => {
          const { view } = received(adapter, fidelityCase, format);
          const request = { model: id, ...nextRequests[format](view) };
          const { body } = await adapter.encode(callOf(model, request, false), upstream, signal);
          assert.ok(body.toString("utf8").includes(piece), body.toString("utf8"));
        });
    }
  });
}
