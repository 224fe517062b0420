import type { Wire } from "@uag/harness/odd-provider/case";
import { png } from "../../src/images/testing/pictures.ts";

/** A provider's image protocol. */
export interface ImageWire extends Wire {
  /** As many images as these, each a URL or base64. */
  list(images: readonly unknown[], usage: unknown): string;
  /** Words in place of an image; no image at all where the protocol has no words. */
  words(usage: unknown): string;
}

const words = "I would rather describe it.";

export const base64 = png({ width: 4, height: 4, colour: "rgb" }).toString("base64");
export const link = "https://images.example/1.png";
const effective = { background: "opaque", output_format: "png", quality: "low", size: "1024x1024" };

const openAiList: ImageWire["list"] = (images, usage) =>
  JSON.stringify({ created: 1, data: images.map((b64Json) => ({ b64_json: b64Json })), ...effective, usage });
const openAiError = (more: object): string =>
  JSON.stringify({ error: { message: "boom", type: "server_error", code: null }, ...more });
const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** OpenAI's reference, images and image streaming. */
export const openAiWire: ImageWire = {
  usageName: "usage",
  usage: {
    total_tokens: 1_010,
    input_tokens: 10,
    output_tokens: 1_000,
    input_tokens_details: { text_tokens: 10, image_tokens: 0 },
  },
  list: openAiList,
  words: (usage) => openAiList([], usage),
  whole: (usage) => openAiList([base64], usage),
  events: (usage) => [
    event("image_generation.partial_image", { b64_json: base64, partial_image_index: 0 }),
    event("image_generation.completed", { b64_json: base64, created_at: 1, ...effective, usage }),
  ],
  error: openAiError,
};

const geminiList: ImageWire["list"] = (images, usageMetadata) => {
  const parts = images.map((data) => ({ inlineData: { mimeType: "image/png", data } }));
  return JSON.stringify({ candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }], usageMetadata });
};

/** Gemini's reference, generate content. */
export const geminiWire: ImageWire = {
  usageName: "usageMetadata",
  usage: {
    promptTokenCount: 10,
    candidatesTokenCount: 1_000,
    totalTokenCount: 1_010,
    candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_000 }],
  },
  list: geminiList,
  words: (usageMetadata) => {
    const content = { role: "model", parts: [{ text: words }] };
    return JSON.stringify({ candidates: [{ content, finishReason: "STOP" }], usageMetadata });
  },
  whole: (usage) => geminiList([base64], usage),
  error: (more) => JSON.stringify({ error: { code: 500, message: "boom", status: "INTERNAL" }, ...more }),
};

const alphaList: ImageWire["list"] = (images, usage) => {
  const content = images.map((image) => ({ image }));
  return JSON.stringify({
    request_id: "r",
    output: { choices: [{ finish_reason: "stop", message: { role: "assistant", content } }] },
    usage,
  });
};

/** Model Studio, qwen-image. */
export const dashScopeWire: ImageWire = {
  usageName: "usage",
  usage: { image_count: 1, width: 1024, height: 1024 },
  list: alphaList,
  words: (usage) => {
    const message = { role: "assistant", content: [{ text: words }] };
    return JSON.stringify({ request_id: "r", output: { choices: [{ finish_reason: "stop", message }] }, usage });
  },
  whole: (usage) => alphaList([link], usage),
  error: (more) => JSON.stringify({ request_id: "r", code: "InternalError", message: "boom", ...more }),
};

const arkList: ImageWire["list"] = (images, usage) =>
  JSON.stringify({ model: "m", created: 1, data: images.map((url) => ({ url, size: "1024x1024" })), usage });

/** ModelArk's image generation API. */
export const arkWire: ImageWire = {
  usageName: "usage",
  usage: { generated_images: 1, output_tokens: 4_096, total_tokens: 4_096 },
  list: arkList,
  words: (usage) => arkList([], usage),
  whole: (usage) => arkList([link], usage),
  error: openAiError,
};

/** xAI's image generation API. */
export const xaiWire: ImageWire = {
  usageName: "usage",
  usage: { cost_in_usd_ticks: 500_000_000 },
  list: (images, usage) => JSON.stringify({ data: images.map((b64Json) => ({ b64_json: b64Json })), usage }),
  words: (usage) => JSON.stringify({ data: [], usage }),
  whole: (usage) => JSON.stringify({ data: [{ b64_json: base64 }], usage }),
  error: openAiError,
};
