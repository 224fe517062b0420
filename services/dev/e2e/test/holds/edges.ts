import type { Model } from "@uag/catalog/types";
import type { OperationBilled } from "@uag/contract/routes";
import sharp from "sharp";
import { audioFiles } from "./audio-files.ts";
import { chatEdge, type Edge, generateEdge, messagesEdge, type Random, responsesEdge } from "./chat-requests.ts";

const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
const json = (operation: string, body: object): Edge => ({ operation, body: Buffer.from(JSON.stringify(body)) });

/** Prompts with many or few tokens per byte, with a cap or without, for several choices. */
function completionsEdge(model: Model, random: Random): Edge {
  const maxTokens = pick(random, [1, 64, 2_000, undefined]);
  const prompt = `${pick(random, texts)}\nrepeat ${maxTokens ?? 40} words ${random()}`;
  const more = { n: random() < 0.3 ? 3 : 1, echo: random() < 0.5, stream: random() < 0.5 };
  return json("completions", {
    model: model.id,
    prompt,
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...more,
  });
}

function embeddingsEdge(model: Model, random: Random): Edge {
  const input = pick<unknown>(random, [
    "x",
    ["", "汉字".repeat(900), "𓀀".repeat(500)],
    "a1!".repeat(3_000),
    Array(40).fill("a b c"),
  ]);
  return json("embeddings", { model: model.id, input: input === "" ? "x" : input, seed: random() });
}

const texts = ["x", "汉字".repeat(900), "𓀀".repeat(500), "a1!".repeat(3_000)];

/** Contents of one or several parts, with a title or without, in Gemini's format. */
function embedContentEdge(model: Model, random: Random): Edge {
  return { ...json("embed_content", contentFor(random)), target: geminiTarget(model, "embedContent") };
}

function batchEmbedContentsEdge(model: Model, random: Random): Edge {
  const requests = Array.from({ length: pick(random, [1, 3, 120]) }, () => contentFor(random));
  return { ...json("batch_embed_contents", { requests }), target: geminiTarget(model, "batchEmbedContents") };
}

function contentFor(random: Random): object {
  const parts = Array.from({ length: pick(random, [1, 3]) }, () => ({ text: pick(random, texts) }));
  const title = random() < 0.5 && { title: pick(random, texts) };
  return { content: { parts: [...parts, { text: String(random()) }] }, taskType: "RETRIEVAL_DOCUMENT", ...title };
}

const geminiTarget = (model: Model, method: string): string =>
  `/v1beta/models/${encodeURIComponent(model.id)}:${method}`;

/** Texts with many or few tokens per byte; the query is billed once for each document. */
function rerankEdge(model: Model, random: Random): Edge {
  const documents = pick<unknown[]>(random, [["x"], Array(300).fill("a1!"), ["汉字".repeat(900), { text: "𓀀" }]]);
  const query = `${random()} ${pick(random, ["x", "汉字".repeat(300)])}`;
  return json("rerank", { model: model.id, query, documents, return_documents: random() < 0.5 });
}

function speechEdge(model: Model, random: Random): Edge {
  const input = pick(random, ["x", "汉字".repeat(700), `${"Say it once more. ".repeat(90)}`, "🙂".repeat(200)]);
  return json("audio.speech", { model: model.id, input, voice: model.speech?.voices[0], response_format: "wav" });
}

/** Files whose headers state less than they contain, or nothing, beside honest ones. */
async function audioEdge(operation: string, model: Model, random: Random): Promise<Edge> {
  const form = new FormData();
  form.set("model", model.id);
  form.set("prompt", random() < 0.5 ? "" : `${random()} ${"汉字 ".repeat(60)}`);
  const file = pick(random, audioFiles)(random);
  form.set("file", new Blob([new Uint8Array(file)]), "a");
  const response = new Response(form);
  const body = Buffer.from(await response.arrayBuffer());
  return { operation, body, contentType: response.headers.get("content-type") ?? "" };
}

const commonSizes = ["auto", "256x256", "512x512", "1024x1024", "1536x1024", "1024x1536", "2048x2048", "3840x2160"];

/**
 * Every family's sizes, qualities, counts and previews. A model rejects values that it does not
 * support, at no cost.
 */
function imagesEdge(model: Model, random: Random): Edge {
  const { image } = model;
  const sizes = image === undefined || image.sizes.length === 0 ? commonSizes : [...image.sizes, ...commonSizes];
  const size = pick(random, sizes);
  const n = 1 + Math.floor(random() * (image?.maxImages ?? 1));
  const prompt = `${random()} ${pick(random, ["a cat", "汉字".repeat(400)])}`;
  if (image?.family === "alpha") {
    const pictures = Array.from({ length: image.references.max }, () => ({ image: "https://x.test/a.png" }));
    const messages = [{ role: "user", content: [...pictures, { text: prompt.slice(0, 700) }] }];
    return json("images.generations", {
      model: model.id,
      input: { messages },
      parameters: { size: pick(random, image.sizes) },
    });
  }
  const stream = image?.family === "gamma" && random() < 0.4;
  return json("images.generations", {
    model: model.id,
    prompt,
    n,
    ...(random() < 0.85 && { size }),
    ...(random() < 0.7 && { quality: pick(random, ["low", "medium", "high", "auto"]) }),
    ...(stream && { stream, partial_images: Math.floor(random() * 4) }),
    ...(image?.family === "grok" && random() < 0.7 && { resolution: pick(random, ["1k", "1.5k", "2k"]) }),
    ...(image?.family === "gemini" && random() < 0.7 && { resolution: pick(random, ["1K", "2K", "4K"]) }),
  });
}

/** An edit: a form with images of various sizes. */
async function editsEdge(model: Model, random: Random): Promise<Edge> {
  const { image } = model;
  const form = new FormData();
  form.set("model", model.id);
  form.set("prompt", `an edit ${random()}`);
  form.set("n", String(1 + Math.floor(random() * (image?.maxImages ?? 1))));
  if (random() < 0.7) form.set("size", pick(random, image?.editSizes.length ? image.editSizes : commonSizes));
  if (random() < 0.5) form.set("quality", pick(random, ["low", "medium", "high"]));
  if (image?.family === "gamma" && random() < 0.5) form.set("input_fidelity", "high");
  const side = pick(random, [64, 1_024]);
  const png = await sharp({ create: { width: side, height: side, channels: 4, background: "#123456" } })
    .png()
    .toBuffer();
  const count = image?.family === "delta" ? 1 : 1 + Math.floor(random() * Math.min(3, image?.references.max ?? 1));
  for (let at = 0; at < count; at++) {
    form.append(count === 1 ? "image" : "image[]", new Blob([new Uint8Array(png)], { type: "image/png" }), `${at}.png`);
  }
  const response = new Response(form);
  const body = Buffer.from(await response.arrayBuffer());
  return { operation: "images.edits", body, contentType: response.headers.get("content-type") ?? "" };
}

type EdgeOf = (model: Model, random: Random) => Edge | Promise<Edge>;

/** Requests at the limits of validity, by operation. A video's hold is its task's. */
export const edges: Readonly<Record<string, EdgeOf>> = {
  "chat.completions": chatEdge,
  completions: completionsEdge,
  messages: messagesEdge,
  responses: responsesEdge,
  generate_content: generateEdge("generateContent"),
  stream_generate_content: generateEdge("streamGenerateContent"),
  embeddings: embeddingsEdge,
  embed_content: embedContentEdge,
  batch_embed_contents: batchEmbedContentsEdge,
  rerank: rerankEdge,
  "audio.speech": speechEdge,
  "audio.transcriptions": (...at) => audioEdge("audio.transcriptions", ...at),
  "audio.translations": (...at) => audioEdge("audio.translations", ...at),
  "images.generations": imagesEdge,
  "images.edits": editsEdge,
} satisfies Record<Exclude<OperationBilled<"metered">, "videos.generations">, EdgeOf>;
