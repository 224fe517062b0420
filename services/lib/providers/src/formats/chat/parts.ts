import { type Fields, fieldsOf, listOf, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import type { MediaKind, MediaPart, MediaSource, TextPart } from "../../conversation/types.ts";
import { audioSource } from "../../media/audio-source.ts";
import { sourceOfUrl } from "../../media/data-url.ts";

type Part = TextPart | MediaPart;

/** A message's content: text, or content parts. */
export function readParts(content: unknown, param: string): Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).map((item, index) => readPart(fieldsOf(item), `${param}[${index}]`));
}

function readPart(part: Fields, param: string): Part {
  const cacheControl = part["cache_control"];
  const media = (kind: MediaKind, source: MediaSource, title?: string): MediaPart => {
    return { type: "media", kind, source, title, param, cacheControl };
  };
  const type = part["type"];
  const inner = fieldsOf(part[String(type)]);
  const url = textOf(inner["url"]) ?? "";
  switch (type) {
    case "text":
      return { type: "text", text: textOf(part["text"]) ?? "", cacheControl };
    case "refusal":
      return { type: "text", text: textOf(part["refusal"]) ?? "" };
    case "image_url":
      return { ...media("image", sourceOfUrl(url, "image/png")), detail: textOf(inner["detail"]) };
    case "video_url":
      return media("video", sourceOfUrl(url, "video/mp4"));
    case "audio_url":
      return media("audio", sourceOfUrl(url, "audio/mp3"));
    case "input_audio":
      return media("audio", audioSource(inner));
    case "file":
      return media("document", fileSource(inner, param), textOf(inner["filename"]));
    default:
      throw refusal(`${param}.type`, `Parts of type '${String(type).slice(0, 40)}' are not available with this model.`);
  }
}

function fileSource(file: Fields, param: string): MediaSource {
  const data = textOf(file["file_data"]);
  if (data === undefined) throw refusal(`${param}.file`, "Files must be sent as file_data with this model.");
  const source = sourceOfUrl(data, "application/pdf");
  if (source.type === "url" && !/^https?:/i.test(source.url)) {
    return { type: "inline", mediaType: "application/pdf", base64: data };
  }
  return source;
}
