import type { Model } from "@uag/catalog/types";
import { silence } from "@uag/harness/testing/wav";

export type Random = () => number;

/** One request at the limits of validity. */
export interface Edge {
  readonly operation: string;
  /** Its path, where that names the model. */
  readonly target?: string;
  readonly body: Buffer;
  readonly contentType?: string;
}

const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/** Half a second of 16 kHz. */
export const spokenWav = silence(0.5, 16_000).toString("base64");

/** Texts with many or few tokens per byte, and one beyond the most expensive tier. */
function filling(random: Random, model: Model): string {
  const tier = Number(model.price.tiers.at(-1)?.aboveInputTokens ?? 0n);
  if (tier > 0 && random() < 0.25) return "word ".repeat(Math.ceil(tier * 0.9));
  const seed = String(random());
  return pick(random, [
    seed,
    `${seed} ${"𓀀𓂀".repeat(300)}`,
    `${seed} ${"a1!".repeat(2_000)}`,
    `${seed} 汉字`.repeat(400),
  ]);
}

/** Directives that make the simulator produce the longest output and reasoning. */
function steering(random: Random, cap: number): string {
  const words = pick(random, [1, cap, cap * 2]);
  const thoughts = random() < 0.5 ? `think ${Math.min(9_000, cap * 2)} words\n` : "";
  return `search ${pick(random, [0, 5, 10])} times\nfetch 10 pages\n${thoughts}repeat ${Math.min(words, 9_000)} words`;
}

/** The header of a PNG of this size; the simulator reads only an image's header. */
function png(width: number, height: number): string {
  const bytes = Buffer.from(pixel, "base64");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return `data:image/png;base64,${bytes.toString("base64")}`;
}

const providerOf = (model: Model): string | undefined => model.upstreams[0]?.provider.protocol;

/** An image of 30,000 patches, OpenAI's limit, and one by URL. */
function images(random: Random, model: Model): object[] {
  const provider = providerOf(model);
  const detail = provider === "openai" ? pick(random, ["original", "auto", "high", "low", undefined]) : undefined;
  const isScaled = provider === "openai" || provider === "dashscope";
  const large = isScaled ? png(6_400, 4_800) : png(1, 1);
  // Gemini and Bedrock do not accept URLs, so the gateway would fetch it.
  const urls = [large, provider === "gemini" || provider === "bedrock" ? large : "https://x.test/a.png"];
  return urls.map((url) => ({ type: "image_url", image_url: { url, ...(detail !== undefined && { detail }) } }));
}

function parts(random: Random, model: Model, text: string): unknown {
  const list: object[] = [{ type: "text", text }];
  if (model.input.has("image") && random() < 0.5) list.push(...images(random, model));
  if (model.input.has("audio") && random() < 0.5)
    list.push({ type: "input_audio", input_audio: { data: spokenWav, format: "wav" } });
  return list.length === 1 ? text : list;
}

/** The messages before the last: a reference to an earlier spoken response. */
function history(random: Random, model: Model): object[] {
  const isSpoken = providerOf(model) === "openai" && model.output.has("audio") && random() < 0.5;
  return isSpoken
    ? [
        { role: "user", content: "Hi" },
        { role: "assistant", audio: { id: "audio_1" } },
      ]
    : [];
}

const functionTool = (n: number): object => ({
  type: "function",
  function: { name: `tool_${n}`, description: "d", parameters: { type: "object", properties: {} } },
});

/** A chat request. */
export function chatEdge(model: Model, random: Random): Edge {
  const cap = pick(random, [1, 64, 2_000, undefined]);
  const stream = model.streamOnly || random() < 0.5;
  const candidates = random() < 0.3 ? 3 : 1;
  const speaks = model.output.has("audio") && random() < 0.5;
  const text = `${filling(random, model)}\nIn JSON if asked.\n${steering(random, cap ?? 3_000)}`;
  const body = {
    model: model.id,
    messages: [...history(random, model), { role: "user", content: parts(random, model, text) }],
    stream,
    ...(cap !== undefined && { max_tokens: cap }),
    ...(candidates > 1 && !speaks && { n: candidates }),
    ...(random() < 0.3 && { tools: [functionTool(1), functionTool(2)] }),
    ...(random() < 0.3 && { response_format: { type: "json_object" } }),
    ...(random() < 0.3 && model.reasoning !== undefined && { reasoning_effort: model.reasoning.efforts.at(-1) }),
    ...(model.price.rates.has("thinking_output_tokens") && random() < 0.6 && { enable_thinking: true, stream: true }),
    ...(providerOf(model) === "dashscope" && random() < 0.5 && { vl_high_resolution_images: true }),
    ...(speaks && { modalities: ["text", "audio"], audio: { voice: "alloy", format: stream ? "pcm16" : "wav" } }),
  };
  return { operation: "chat.completions", body: Buffer.from(JSON.stringify(body)) };
}

interface ChatPart {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string; readonly detail?: string };
}

/** The parts of a chat message in the Responses format. */
function responseParts(content: unknown): unknown {
  if (typeof content === "string") return content;
  return (content as ChatPart[]).map((part) => {
    if (part.type === "text") return { type: "input_text", text: part.text };
    if (part.image_url === undefined) return part;
    const { url, detail } = part.image_url;
    return { type: "input_image", image_url: url, ...(detail !== undefined && { detail }) };
  });
}

/** Earlier reasoning, as only the provider can read it. */
function thoughts(random: Random, isOwn: boolean): object[] {
  if (!isOwn || random() < 0.5) return [];
  const text = pick(random, ["think of 汉字 ".repeat(500), "weigh each option in turn. ".repeat(500)]);
  const sealed = `gAAAAAB${Buffer.from(text).toString("base64url")}`;
  return [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: sealed }];
}

/** A request in the Responses format. */
export function responsesEdge(model: Model, random: Random): Edge {
  const cap = pick(random, [16, 64, 2_000, undefined]);
  const text = `${filling(random, model)}\n${steering(random, cap ?? 3_000)}`;
  const isOwn = model.upstreams.every(({ responsesApi }) => responsesApi);
  const searches = isOwn && model.price.rates.has("web_searches") && random() < 0.4;
  const own = { type: "function", name: "tool", description: "d", parameters: {} };
  const tools = [random() < 0.3 && own, searches && { type: "web_search" }].filter((tool) => tool !== false);
  const body = {
    model: model.id,
    instructions: "Be of help, in JSON if asked. ".repeat(300),
    input: [...thoughts(random, isOwn), { role: "user", content: responseParts(parts(random, model, text)) }],
    stream: random() < 0.5,
    ...(cap !== undefined && { max_output_tokens: cap }),
    ...(tools.length > 0 && { tools }),
    ...(searches && random() < 0.5 && { max_tool_calls: pick(random, [1, 12]) }),
    ...(random() < 0.3 && { text: { format: { type: "json_object" } } }),
    ...(random() < 0.3 && model.reasoning !== undefined && { reasoning: { effort: model.reasoning.efforts.at(-1) } }),
  };
  return { operation: "responses", body: Buffer.from(JSON.stringify(body)) };
}

/**
 * A messages request, sometimes marked for the longest cache, with the provider's own search and
 * fetch where search has a price.
 */
export function messagesEdge(model: Model, random: Random): Edge {
  const cap = pick(random, [1, 64, 2_000]);
  const text = `${filling(random, model)}\n${steering(random, cap)}`;
  const ttl = pick(random, ["5m", "1h", undefined]);
  const mark = ttl === undefined ? {} : { cache_control: { type: "ephemeral", ttl } };
  const own = { name: "tool", description: "d", input_schema: { type: "object" } };
  const uses = () => random() < 0.5 && { max_uses: 1 + Math.floor(random() * 10) };
  const served = model.price.rates.has("web_searches") && providerOf(model) === "anthropic";
  const search = { type: "web_search_20250305", name: "web_search", ...uses() };
  const fetched = { type: "web_fetch_20250910", name: "web_fetch", ...uses() };
  const tools = [served && search, served && fetched, own].filter((tool) => tool !== false && random() < 0.5);
  const body = {
    model: model.id,
    max_tokens: cap,
    system: [{ type: "text", text: `${"Be of help. ".repeat(600)}${random()}`, ...mark }],
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    stream: random() < 0.5,
    ...(tools.length > 0 && { tools }),
  };
  return { operation: "messages", body: Buffer.from(JSON.stringify(body)) };
}

/** A request in Gemini's format, with several candidates where the model's provider has the format. */
export const generateEdge =
  (method: "generateContent" | "streamGenerateContent") =>
  (model: Model, random: Random): Edge => {
    const cap = pick(random, [1, 64, 2_000, undefined]);
    const listed: object[] = [
      { text: `${filling(random, model)}\nIn JSON if asked.\n${steering(random, cap ?? 3_000)}` },
    ];
    if (model.input.has("image") && random() < 0.5)
      listed.push({ inlineData: { mimeType: "image/png", data: pixel } }, { text: "and" });
    if (model.input.has("audio") && random() < 0.5)
      listed.push({ inlineData: { mimeType: "audio/wav", data: spokenWav } });
    const isOwn = providerOf(model) === "gemini";
    const thinks = model.reasoning !== undefined && random() < 0.5;
    const generationConfig = {
      ...(cap !== undefined && { maxOutputTokens: cap }),
      ...(isOwn && random() < 0.3 && { candidateCount: 3 }),
      ...(random() < 0.3 && { responseMimeType: "application/json" }),
      ...(thinks && { thinkingConfig: { includeThoughts: random() < 0.5, thinkingBudget: 2_000 } }),
    };
    const functionDeclarations = [{ name: "tool", description: "d", parameters: { type: "OBJECT", properties: {} } }];
    const body = {
      contents: [{ role: "user", parts: listed }],
      [pick(random, ["generationConfig", "generation_config"])]: generationConfig,
      ...(random() < 0.3 && { tools: [{ functionDeclarations }] }),
    };
    const operation = method === "generateContent" ? "generate_content" : "stream_generate_content";
    const target = `/v1beta/models/${encodeURIComponent(model.id)}:${method}?alt=sse`;
    return { operation, target, body: Buffer.from(JSON.stringify(body)) };
  };
