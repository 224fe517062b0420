import type { Attack } from "./attacks.ts";

/** A small request with the largest response that its path or tool can have. */
export interface LargeResponse extends Pick<Attack, "name" | "path" | "parallel"> {
  readonly method: "GET" | "POST";
  readonly body?: object;
  /** `many`: concurrent requests come from several accounts; default: from one. */
  readonly keys?: "many";
}

const letters = Array.from({ length: 2_048 }, () => "a");
const openAi = { model: "text-embedding-3-large", input: letters };
const gemini = { model: "text-embedding-004", input: letters };
const words = (count: number): object[] => [{ role: "user", content: `repeat ${count} words` }];
const tool = (name: string, args: object): object => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});
const post = (path: string, name: string, body: object, parallel = 1): LargeResponse => ({
  method: "POST",
  path,
  name,
  body,
  parallel,
});
const get = (path: string, name: string): LargeResponse => ({ method: "GET", path, name });

const logprobs = { logprobs: true, top_logprobs: 20 };
const chat = "/v1/chat/completions";
const embeddings = "/v1/embeddings";
const images = "/v1/images/generations";
const cat = { model: "gamma-image-1", prompt: "a cat" };

const largeTexts = [
  { role: "user", content: Array.from({ length: 3 }, () => ({ type: "text", text: "a".repeat(9_400_000) })) },
];

/** The largest responses of every kind: each is sent by an account that can pay for it. */
export const largeResponses: readonly LargeResponse[] = [
  post(embeddings, "response: 2,048 vectors as numbers", openAi),
  post(embeddings, "response: 2,048 vectors as base64", { ...openAi, encoding_format: "base64" }),
  post(embeddings, "response: 2,048 vectors of a provider that sends numbers as text", gemini),
  post(embeddings, "response: 2,048 vectors, twelve concurrent requests", openAi, 12),
  post(chat, "response: the longest text", { model: "gpt-4o-mini", messages: words(12_000) }),
  post(chat, "response: 4 texts with log probabilities", {
    model: "gpt-4o-mini",
    n: 4,
    ...logprobs,
    messages: words(10_000),
  }),
  post("/v1/messages", "response: the longest text", {
    model: "claude-sonnet-4-6",
    max_tokens: 60_000,
    messages: words(40_000),
  }),
  post("/v1/responses", "response: the longest text", { model: "gpt-4o-mini", input: words(12_000) }),
  post(images, "response: ten large images as base64", { ...cat, n: 10, size: "1536x1024", quality: "high" }),
  post("/v1/audio/speech", "response: the longest speech", {
    model: "alpha3-tts-flash",
    voice: "Cherry",
    input: "one two three. ".repeat(260),
    response_format: "wav",
  }),
  {
    ...post(
      chat,
      "burst: twenty bodies of 28 MB from five accounts",
      { model: "gpt-4o-mini", messages: largeTexts },
      20,
    ),
    keys: "many",
  },
  {
    ...post(images, "burst: twenty images as base64 from five accounts", { ...cat, n: 10, quality: "high" }, 20),
    keys: "many",
  },
  get("/v1/models", "response: every model"),
  get("/v1/videos/generations?limit=100", "response: a full page of videos"),
  get("/v1/dashboard/billing/usage", "response: all usage"),
  post("/mcp", "response: embed, 2,048 vectors", tool("embed", { model: openAi.model, texts: letters })),
  post("/mcp", "response: embed, four concurrent calls", tool("embed", { model: openAi.model, texts: letters }), 4),
  post("/mcp", "response: generate_image, ten images", tool("generate_image", { ...cat, n: 10, size: "1536x1024" })),
  post("/mcp", "response: chat, the longest text", tool("chat", { model: "gpt-4o-mini", messages: words(12_000) })),
  post("/mcp", "response: synthesize_speech, the longest", {
    ...tool("synthesize_speech", { model: "alpha3-tts-flash", voice: "Cherry", text: "one two three. ".repeat(260) }),
  }),
  post("/mcp", "response: list_models", tool("list_models", {})),
];

/** The request as it is sent. */
export function attackOf({ name, path, parallel, body }: LargeResponse): Attack {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const pieces = body === undefined ? [] : [Buffer.from(JSON.stringify(body))];
  return { name, path, headers, body: () => pieces, ...(parallel !== undefined && { parallel }) };
}
