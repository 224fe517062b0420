import { canonicalJson, hashOf } from "../content/hash.ts";
import type { Prefix } from "../content/prefix-cache.ts";
import { countTokens } from "../content/tokens.ts";
import type { ChatModel } from "./flavour.ts";
import { imageTokens } from "./image-tokens.ts";
import type { ChatMessage, ChatRequest, ContentPart } from "./schema.ts";

/** Tokens of a prompt. `image`, `audio` and `video` are part of `total`. */
export interface PromptTokens {
  readonly total: number;
  readonly image: number;
  readonly audio: number;
  readonly video: number;
  /** Tokens up to the end of each message. */
  readonly prefixes: readonly Prefix[];
}

const perMessage = 3;
const replyStart = 3;
const bytesPerAudioSecond = 32_000;
const tokensPerVideo = 800;

function audioTokens(data: string): number {
  // A URL is not fetched: it counts as 10 seconds.
  const bytes = /^https?:/.test(data) ? 10 * bytesPerAudioSecond : Buffer.byteLength(data, "base64");
  return Math.max(1, Math.ceil((10 * bytes) / bytesPerAudioSecond));
}

interface Tally {
  text: number;
  image: number;
  audio: number;
  video: number;
}

function addPart(tally: Tally, part: ContentPart | { type: "refusal"; refusal: string }, model: ChatModel): void {
  switch (part.type) {
    case "text":
      tally.text += countTokens(part.text);
      break;
    case "refusal":
      tally.text += countTokens(part.refusal);
      break;
    case "image_url":
      tally.image += imageTokens(part.image_url, model.imageTokens);
      break;
    case "input_audio":
      tally.audio += audioTokens(part.input_audio.data);
      break;
    case "file":
      tally.text += Math.ceil(Buffer.byteLength(part.file.file_data ?? "", "base64") / 4) + 1;
      break;
    case "video_url":
      tally.video += tokensPerVideo;
      break;
    case "video":
      tally.video += 100 * part.video.length;
  }
}

function addMessage(tally: Tally, message: ChatMessage, model: ChatModel): void {
  tally.text += perMessage + countTokens(message.role);
  if (typeof message.content === "string") tally.text += countTokens(message.content);
  else for (const part of message.content ?? []) addPart(tally, part, model);
  if ("name" in message && message.name !== undefined) tally.text += 1 + countTokens(String(message.name));
  if (message.role !== "assistant") return;
  if (message["audio"] != null) tally.audio += model.maxOutputTokens;
  for (const call of message.tool_calls ?? []) {
    const [name, input] =
      call.type === "function" ? [call.function.name, call.function.arguments] : [call.custom.name, call.custom.input];
    tally.text += perMessage + countTokens(name) + countTokens(input);
  }
}

/**
 * Counts a prompt: 3 tokens per message, its role and content, tool definitions and schemas as
 * their JSON, 3 for the start of the reply. Audio is 10 tokens per second at 32,000 bytes per
 * second, a video 800, a video frame 100. A reference to an earlier spoken response counts as the
 * model's longest.
 */
export function promptTokensOf(request: ChatRequest, model: ChatModel, owner: string): PromptTokens {
  const tally: Tally = { text: replyStart, image: 0, audio: 0, video: 0 };
  if (request.tools !== undefined) tally.text += countTokens(JSON.stringify(request.tools));
  if (request.response_format?.type === "json_schema")
    tally.text += countTokens(JSON.stringify(request.response_format));
  const total = () => tally.text + tally.image + tally.audio + tally.video;
  const prefixes: Prefix[] = [];
  let digest = hashOf(owner, model.id, canonicalJson(request.tools ?? []));
  for (const message of request.messages) {
    addMessage(tally, message, model);
    digest = hashOf(digest, canonicalJson(message));
    prefixes.push({ digest, tokens: total() });
  }
  return { total: total(), image: tally.image, audio: tally.audio, video: tally.video, prefixes };
}
