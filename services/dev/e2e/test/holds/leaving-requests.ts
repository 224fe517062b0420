import type { Model } from "@uag/catalog/types";
import { type Edge, type Random, spokenWav } from "./chat-requests.ts";

/** A long prompt is read from the provider's cache the second time. */
const longPrompt = "Be of help, and keep to the facts. ".repeat(300);

/**
 * A streamed request whose bill depends on output that a disconnected client does not see:
 * searches, spoken output, audio input, cached input. Undefined for a model that does not generate
 * text.
 */
export function leavingEdge(model: Model, random: Random): Edge | undefined {
  const words = `repeat ${40 + Math.floor(random() * 100)} words`;
  const own = String(random());
  if (model.operations.has("messages") && random() < 0.5) return messagesEdge(model, random, `${own}\n${words}`);
  const isNative = model.operations.has("responses") && model.upstreams.every(({ responsesApi }) => responsesApi);
  if (isNative && random() < 0.5) return responsesEdge(model, random, `${own}\n${words}`);
  if (!model.operations.has("chat.completions")) return undefined;
  const sound = { type: "input_audio", input_audio: { data: spokenWav, format: "wav" } };
  const hears = model.input.has("audio") && random() < 0.5;
  const speaks = model.output.has("audio") && random() < 0.7;
  const text = { type: "text", text: `${own}\n${random() < 0.5 ? `${longPrompt}\n` : ""}${words}` };
  const body = {
    model: model.id,
    stream: true,
    messages: [{ role: "user", content: hears ? [text, sound] : [text] }],
    ...(speaks && { modalities: ["text", "audio"], audio: { voice: "alloy", format: "pcm16" } }),
  };
  return { operation: "chat.completions", body: Buffer.from(JSON.stringify(body)) };
}

function responsesEdge(model: Model, random: Random, text: string): Edge {
  const searches = model.price.rates.has("web_searches") && random() < 0.6;
  const body = {
    model: model.id,
    stream: true,
    ...(random() < 0.5 && { instructions: longPrompt }),
    input: `${searches ? "search 3 times\n" : ""}${text}`,
    ...(searches && { tools: [{ type: "web_search" }] }),
    ...(model.reasoning !== undefined && random() < 0.5 && { reasoning: { summary: "auto" } }),
  };
  return { operation: "responses", body: Buffer.from(JSON.stringify(body)) };
}

function messagesEdge(model: Model, random: Random, text: string): Edge {
  const isClaude = model.upstreams.every(({ provider }) => provider.protocol === "anthropic");
  const searches = isClaude && model.price.rates.has("web_searches") && random() < 0.6;
  const isLong = random() < 0.5;
  const mark = { cache_control: { type: "ephemeral" } };
  const body = {
    model: model.id,
    max_tokens: 2_000,
    stream: true,
    ...(isLong && { system: [{ type: "text", text: longPrompt, ...mark }] }),
    messages: [{ role: "user", content: `${searches ? "search 3 times\n" : ""}${text}` }],
    ...(searches && { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }] }),
  };
  return { operation: "messages", body: Buffer.from(JSON.stringify(body)) };
}
