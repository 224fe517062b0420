import type { Model } from "@uag/catalog/types";
import type { Fields } from "@uag/pipeline/request/body";
import { fieldsOf, isFields, listOf } from "@uag/providers/conversation/fields";
import {
  geminiParts,
  hasOnlyMembers,
  hasUnknownMember,
  isGeminiText,
  isTextPart,
} from "@uag/providers/passed-fields/parts";

/** A prompt's images, audio, videos and documents. */
export interface MediaSize {
  /** Characters of the body that are media rather than text. */
  readonly chars: number;
  /** An upper bound. */
  readonly tokens: number;
  /** The same, with each image at its usual size. */
  readonly likelyTokens: number;
  readonly sound: boolean;
}

type Sum = { -readonly [Name in keyof MediaSize]: MediaSize[Name] };

/** What a part's size depends on in addition to the part itself. */
interface Reading {
  readonly model: Model;
  /** Every image is read at its original resolution. */
  readonly highResolution: boolean;
}

/**
 * Minimum base64 characters per audio token: 25 tokens a second of 8 kbit/s (the lowest MP3 bit
 * rate).
 */
const audioCharsPerToken = 50;

/** Bounds the media of a request in any of the formats. */
export function mediaOf(fields: Fields, model: Model): MediaSize {
  const sum: Sum = { chars: 0, tokens: 0, likelyTokens: 0, sound: false };
  // DashScope's switch for all images of a request.
  const reading = { model, highResolution: Boolean(fields["vl_high_resolution_images"]) };
  for (const item of [...listOf(fields["messages"]), ...listOf(fields["input"])]) {
    const { content, output, audio } = fieldsOf(item);
    addParts(sum, content, reading);
    // What a tool returned, in the Responses format.
    addParts(sum, output, reading);
    // A reference to an earlier spoken response, which is no longer than the model's longest.
    if (isFields(audio)) addSound(sum, model.maxOutputTokens);
  }
  addParts(sum, fields["system"], reading);
  for (const part of geminiParts(fields)) addGeminiPart(sum, part, model);
  if (listOf(fields["messages"]).some(hasUnknownMember)) addUnknown(sum, model);
  return sum;
}

function addTokens(sum: Sum, tokens: number, likely = tokens): void {
  sum.tokens += tokens;
  sum.likelyTokens += likely;
}

function addSound(sum: Sum, tokens: number): void {
  addTokens(sum, tokens);
  sum.sound = true;
}

/** Content of unknown size is no longer than the model's context. Most of it is no media. */
function addUnknown(sum: Sum, { contextTokens }: Model): void {
  addTokens(sum, contextTokens, 0);
  sum.sound = true;
}

/**
 * OpenAI reads an image at its original resolution when `detail` is `original`, and later models
 * also when it is `auto` or not set (developers.openai.com/api/docs/guides/images-vision).
 * DashScope takes the resolution from `max_pixels`
 * (alibabacloud.com/help/en/model-studio/vision).
 */
function addImage(sum: Sum, part: Fields, detail: unknown, { model, highResolution }: Reading): void {
  if (!isKnownImage(part)) addUnknown(sum, model);
  const asked = detail == null || detail === "auto" ? model.defaultImageDetail : detail;
  const isBounded = asked === "low" || asked === "high";
  const isOriginal = highResolution || part["max_pixels"] != null || part["min_pixels"] != null || !isBounded;
  addTokens(sum, isOriginal ? model.originalImageTokens : model.imageTokens, model.imageTokens);
}

const imageMembers = ["image_url", "detail", "file_id", "source", "max_pixels", "min_pixels"];
const imageUrlMembers = ["url", "detail"];

/** Whether every field of the image is accounted for. */
function isKnownImage(part: Fields): boolean {
  return hasOnlyMembers(part, imageMembers) && hasOnlyMembers(fieldsOf(part["image_url"]), imageUrlMembers);
}

function addParts(sum: Sum, content: unknown, reading: Reading): void {
  for (const part of listOf(content)) addPart(sum, fieldsOf(part), reading);
}

function addPart(sum: Sum, part: Fields, reading: Reading): void {
  const { contextTokens } = reading.model;
  const inner = fieldsOf(part[String(part["type"])]);
  const source = fieldsOf(part["source"]);
  switch (part["type"]) {
    case "image_url":
      sum.chars += charsOf(inner["url"]);
      addImage(sum, part, inner["detail"], reading);
      return;
    case "input_image":
      sum.chars += charsOf(part["image_url"]);
      addImage(sum, part, part["detail"], reading);
      return;
    case "image":
      sum.chars += charsOf(source["data"]);
      addImage(sum, part, undefined, reading);
      return;
    case "input_audio": {
      const sound = String(inner["data"]);
      sum.chars += charsOf(sound);
      addSound(sum, /^https?:/i.test(sound) ? contextTokens : Math.ceil(sound.length / audioCharsPerToken));
      return;
    }
    case "file":
      sum.chars += charsOf(inner["file_data"]);
      addTokens(sum, contextTokens);
      return;
    case "input_file":
      sum.chars += charsOf(part["file_data"]);
      addTokens(sum, contextTokens);
      return;
    case "document":
      addParts(sum, source["content"], reading);
      if (source["type"] === "text" || source["type"] === "content") return;
      sum.chars += charsOf(source["data"]);
      addTokens(sum, contextTokens);
      return;
    case "tool_result":
      addParts(sum, part["content"], reading);
      return;
    case "video_url":
    case "audio_url":
    case "video":
      addSound(sum, contextTokens);
      return;
    case "web_fetch_tool_result":
      addParts(sum, [fieldsOf(part["content"])["content"]], reading);
      return;
  }
  if (!isTextPart(part)) addUnknown(sum, reading.model);
}

/** Members of a part in Gemini's format that has media. */
const geminiMedia = ["inlineData", "fileData", "videoMetadata", "mediaResolution", "thought", "thoughtSignature"];
const audioType = /^audio\//;
const imageType = /^image\//;

/** The resolution of images is set for the request or the part, and `imageTokens` are of the largest. */
function addGeminiPart(sum: Sum, part: Fields, model: Model): void {
  if (isGeminiText(part)) return;
  const blob = fieldsOf(part["inlineData"]);
  const type = String(blob["mimeType"] ?? fieldsOf(part["fileData"])["mimeType"]);
  const data = String(blob["data"] ?? "");
  sum.chars += charsOf(data);
  if (!hasOnlyMembers(part, geminiMedia)) addUnknown(sum, model);
  else if (imageType.test(type)) addTokens(sum, model.originalImageTokens, model.imageTokens);
  else if (audioType.test(type) && data !== "") addSound(sum, Math.ceil(data.length / audioCharsPerToken));
  else addSound(sum, model.contextTokens);
}

/** Characters of media given inline; those of a short URL stay with the text. */
const charsOf = (value: unknown): number => (typeof value === "string" && value.length > 1_000 ? value.length : 0);
