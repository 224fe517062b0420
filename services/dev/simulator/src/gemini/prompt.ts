import { canonicalJson, hashOf } from "../content/hash.ts";
import { imageInfo } from "../content/image-size.ts";
import type { Prefix } from "../content/prefix-cache.ts";
import { countTokens } from "../content/tokens.ts";
import type { Content, GenerateRequest, Part } from "./schema.ts";

type Modality = "TEXT" | "IMAGE" | "AUDIO" | "VIDEO" | "DOCUMENT";

/** Tokens of a prompt by modality, and up to the end of each turn. */
export interface Prompt {
  readonly total: number;
  readonly byModality: ReadonlyMap<Modality, number>;
  readonly prefixes: readonly Prefix[];
}

const tokensPerTile = 258;
const tileSize = 768;
const smallImage = 384;
const audioBytesPerSecond = 32_000;
const audioTokensPerSecond = 32;
const videoTokens = 2630;

function imageTokens(bytes: Buffer): number {
  const info = imageInfo(bytes);
  if (info === undefined || (info.width <= smallImage && info.height <= smallImage)) return tokensPerTile;
  return tokensPerTile * Math.ceil(info.width / tileSize) * Math.ceil(info.height / tileSize);
}

function mediaCost(mimeType: string, bytes: Buffer): [Modality, number] {
  if (mimeType.startsWith("image/")) return ["IMAGE", imageTokens(bytes)];
  if (mimeType.startsWith("audio/")) {
    return ["AUDIO", Math.max(1, Math.ceil((audioTokensPerSecond * bytes.length) / audioBytesPerSecond))];
  }
  if (mimeType.startsWith("video/")) return ["VIDEO", videoTokens];
  if (mimeType.startsWith("text/")) return ["TEXT", countTokens(bytes.toString())];
  const pages = bytes.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 1;
  return ["DOCUMENT", tokensPerTile * Math.max(1, pages)];
}

function partCost(part: Part): [Modality, number] {
  if (part.inlineData !== undefined)
    return mediaCost(part.inlineData.mimeType, Buffer.from(part.inlineData.data, "base64"));
  if (part.fileData !== undefined) return mediaCost(part.fileData.mimeType ?? "image/png", Buffer.alloc(0));
  const { text, functionCall, functionResponse } = part;
  if (text !== undefined) return ["TEXT", countTokens(text)];
  return ["TEXT", countTokens(JSON.stringify(functionCall ?? functionResponse ?? {}))];
}

/**
 * Counts a prompt: text by o200k, a token per turn, images 258 per tile of 768 pixels (258 in total
 * up to 384 x 384), audio 32 tokens per second at 32,000 bytes per second, a video 2,630, PDF 258
 * per page, tools as their JSON.
 */
export function promptOf(
  request: Pick<GenerateRequest, "contents" | "systemInstruction" | "tools">,
  owner: string,
): Prompt {
  const byModality = new Map<Modality, number>();
  let total = 0;
  const add = ([modality, tokens]: [Modality, number]) => {
    byModality.set(modality, (byModality.get(modality) ?? 0) + tokens);
    total += tokens;
  };
  if (request.tools !== undefined) add(["TEXT", countTokens(JSON.stringify(request.tools))]);
  for (const part of request.systemInstruction?.parts ?? []) add(partCost(part));
  let digest = hashOf(owner, canonicalJson([request.tools ?? [], request.systemInstruction ?? {}]));
  const prefixes: Prefix[] = [];
  const addTurn = (content: Content) => {
    add(["TEXT", 1]);
    for (const part of content.parts) add(partCost(part));
    digest = hashOf(digest, canonicalJson(content));
    prefixes.push({ digest, tokens: total });
  };
  request.contents.forEach(addTurn);
  return { total, byModality, prefixes };
}
