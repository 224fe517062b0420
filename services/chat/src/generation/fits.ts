import type { InputModality, Model } from "@uag/catalog/types";
import { type Fields, fieldsOf, listOf, textOf } from "@uag/providers/conversation/fields";
import { requestsSpeech } from "@uag/providers/disconnect/estimable";
import { geminiParts } from "@uag/providers/passed-fields/parts";
import { generationAdapter } from "@uag/providers/registry";
import type { ClientFormat, GenerationRequest } from "../format.ts";
import { generationRequestSize } from "./size.ts";

/** What a part of each type is read as; the types of all formats. */
const modalities: Readonly<Record<string, InputModality>> = {
  image_url: "image",
  input_image: "image",
  image: "image",
  input_audio: "audio",
  audio_url: "audio",
  video_url: "video",
  video: "video",
  file: "file",
  input_file: "file",
  document: "file",
};

function addParts(found: Set<InputModality>, content: unknown): void {
  for (const item of listOf(content)) {
    const part = fieldsOf(item);
    const modality = modalities[String(part["type"])];
    const isText = part["type"] === "document" && fieldsOf(part["source"])["type"] === "text";
    if (modality !== undefined && !isText) found.add(modality);
    if (part["type"] === "tool_result") addParts(found, part["content"]);
  }
}

/** What a part of Gemini's format is read as, by its media type; undefined for text. */
function geminiModality({ inlineData, fileData }: Fields): InputModality | undefined {
  if (inlineData == null && fileData == null) return undefined;
  const type = textOf(fieldsOf(inlineData ?? fileData)["mimeType"]) ?? "";
  return (["image", "audio", "video"] as const).find((modality) => type.startsWith(`${modality}/`)) ?? "file";
}

/** The types of input that a request has in addition to text, in any format. */
export function modalitiesIn(fields: Fields): ReadonlySet<InputModality> {
  const found = new Set<InputModality>();
  for (const item of [...listOf(fields["messages"]), ...listOf(fields["input"])]) {
    const { content, output } = fieldsOf(item);
    addParts(found, content);
    // What a tool returned, in the Responses format.
    addParts(found, output);
  }
  addParts(found, fields["system"]);
  for (const part of geminiParts(fields)) {
    const modality = geminiModality(part);
    if (modality !== undefined) found.add(modality);
  }
  return found;
}

/**
 * Whether a model can serve a request that names another one: it has the request's modalities, its
 * context likely holds the prompt with the longest output that the client allows, and its upstreams
 * support the client's format. Tools that providers run are not the same ones elsewhere.
 */
export function fitsModel({ format }: Pick<ClientFormat, "format">, request: GenerationRequest, model: Model): boolean {
  const { body, fields, outputCap = 0, serverTools } = request;
  if (outputCap > model.maxOutputTokens || serverTools.tools.length > 0 || serverTools.searchesTools) return false;
  if (requestsSpeech(fields) && !model.output.has("audio")) return false;
  if (![...modalitiesIn(fields)].every((modality) => model.input.has(modality))) return false;
  if (!model.upstreams.some((upstream) => generationAdapter(format, upstream) !== undefined)) return false;
  const { tokens } = generationRequestSize({ ...request, model, bodyBytes: body.length });
  return tokens < model.contextTokens;
}
