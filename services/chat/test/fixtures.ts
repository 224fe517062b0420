import type { ServerResponse } from "node:http";

/** A catalogue of models with one upstream at `url`, and one model with two upstreams. */
export const catalogOf = (url: string, second = "http://127.0.0.1:9"): string => `
providers:
  one: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret-one, timeouts: { first_byte: 5s, between_chunks: 5s, connect: 1s } }
  two: { protocol: openai, base_url: "${second}/v1", api_key: sk-upstream-secret-two, timeouts: { first_byte: 5s, connect: 1s } }
  turbo: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret-turbo, free_fields: [turbo] }
  dash: { protocol: dashscope, base_url: "${url}", api_key: sk-upstream-secret-dash }
models:
  - &plain
    id: plain
    owned_by: acme
    display_name: Plain One
    created: 2026-01-02
    operations: [chat.completions, responses]
    context_tokens: 100000
    max_output_tokens: 1000
    input: [text, image, audio]
    price: { input_tokens: 1, cached_input_tokens: 0.1, output_tokens: 2 }
    upstreams: [{ provider: one }]
  - { <<: *plain, id: renamed, upstreams: [{ provider: one, model: real-name }] }
  - { <<: *plain, id: thinker, reasoning: { efforts: [low] }, output_cap_field: max_completion_tokens }
  - &listener { <<: *plain, id: listener, input: [text, audio], price: { input_tokens: 1, audio_input_tokens: 10, output_tokens: 2 } }
  - { <<: *plain, id: deaf, input: [text] }
  - { <<: *listener, id: omni, upstreams: [{ provider: dash }] }
  - { <<: *plain, id: two-homes, upstreams: [{ provider: one }, { provider: two, priority: 1 }] }
  - { <<: *plain, id: qwen, upstreams: [{ provider: dash }] }
  - { <<: *plain, id: turbine, upstreams: [{ provider: turbo }] }
  - { <<: *plain, id: turbine-elsewhere, upstreams: [{ provider: turbo }, { provider: one, priority: 1 }] }
  - { <<: *plain, id: image-only, operations: [images.generations], price: { images: 1 } }
  - { <<: *plain, id: nowhere, upstreams: [{ provider: two }] }
`;

export const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1763690000,
  model: "plain-2026",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello there." }, finish_reason: "stop" }],
  usage,
};

export const chat = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  model: "plain",
  messages: [{ role: "user", content: "Hi" }],
  ...fields,
});

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

export const chunk = (delta: Record<string, unknown>, more: Record<string, unknown> = {}): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }], usage: null, ...more })}\n\n`;

export const usageChunk = chunk({}, { choices: [], usage });
export const done = "data: [DONE]\n\n";

export function startEvents(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}
