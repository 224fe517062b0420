/** A request of the public API. */
export interface HostileRequest {
  readonly path: string;
  readonly body: object;
}

type Make = (prompt: string) => HostileRequest;

const chat =
  (model: string, stream: boolean): Make =>
  (content) => ({
    path: "/v1/chat/completions",
    body: { model, max_tokens: 64, messages: [{ role: "user", content }], stream },
  });

const messages =
  (stream: boolean): Make =>
  (content) => ({
    path: "/v1/messages",
    body: { model: "claude-sonnet-4-6", max_tokens: 64, messages: [{ role: "user", content }], stream },
  });

/** In Gemini's format. */
const generated =
  (model: string, method: string): Make =>
  (text) => ({
    path: `/v1beta/models/${model}:${method}`,
    body: { contents: [{ parts: [{ text }] }], generationConfig: { maxOutputTokens: 64 } },
  });

const videos = "/v1/videos/generations";

/** Every capability, by several protocols. */
const kinds: readonly Make[] = [
  ...["gpt-4.1-mini", "gemini-2.5-flash", "claude-sonnet-4-6", "qwen-plus"].flatMap((model) => [
    chat(model, false),
    chat(model, true),
  ]),
  messages(false),
  messages(true),
  (input) => ({ path: "/v1/embeddings", body: { model: "text-embedding-3-small", input: [input, "another text"] } }),
  (input) => ({ path: "/v1/embeddings", body: { model: "text-embedding-004", input } }),
  ...["gemini-2.5-flash", "claude-sonnet-4-6", "gpt-4.1-mini"].flatMap((model) => [
    generated(model, "generateContent"),
    generated(model, "streamGenerateContent?alt=sse"),
  ]),
  (text) => ({ path: "/v1beta/models/gemini-embedding-001:embedContent", body: { content: { parts: [{ text }] } } }),
  (text) => ({
    path: "/v1/models/text-embedding-3-small:batchEmbedContents",
    body: { requests: [text, "another text"].map((each) => ({ content: { parts: [{ text: each }] } })) },
  }),
  (prompt) => ({ path: "/v1/images/generations", body: { model: "gamma-image-1-mini", prompt, quality: "low" } }),
  (input) => ({
    path: "/v1/audio/speech",
    body: { model: "alpha3-tts-flash", input, voice: "Cherry", response_format: "wav" },
  }),
  (prompt) => ({ path: videos, body: { model: "beta2.6-t2v", duration: 5, resolution: "720p", input: { prompt } } }),
  (prompt) => ({
    path: videos,
    body: { model: "seedance-1-0-pro", resolution: "480p", content: [{ type: "text", text: prompt }] },
  }),
  (prompt) => ({ path: videos, body: { model: "grok-imagine-video", duration: 3, resolution: "480p", prompt } }),
];

/** One of them, whose text is never the same twice. */
export function requestOf(random: () => number): HostileRequest {
  const make = kinds[Math.floor(random() * kinds.length)] as Make;
  return make(`Tell me about the number ${Math.floor(random() * 2 ** 40)}.`);
}
