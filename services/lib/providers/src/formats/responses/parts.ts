import { type Fields, fieldsOf, listOf, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import type { MediaKind, MediaPart, MediaSource, TextPart } from "../../conversation/types.ts";
import { audioSource } from "../../media/audio-source.ts";
import { sourceOfUrl } from "../../media/data-url.ts";

type Part = TextPart | MediaPart;

/** A user message or a tool's result: text, or content parts. */
export function readContent(content: unknown, param: string): Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).map((item, index) => readPart(fieldsOf(item), `${param}[${index}]`));
}

function readPart(part: Fields, param: string): Part {
  const media = (kind: MediaKind, source: MediaSource, title?: string): MediaPart => {
    return { type: "media", kind, source, title, param };
  };
  switch (part["type"]) {
    case "input_text":
    case "output_text":
      return { type: "text", text: textOf(part["text"]) ?? "" };
    case "refusal":
      return { type: "text", text: textOf(part["refusal"]) ?? "" };
    case "input_image":
      return {
        ...media("image", sourceOfUrl(textOf(part["image_url"]) ?? "", "image/png")),
        detail: textOf(part["detail"]),
      };
    case "input_file":
      return media("document", fileSource(part, param), textOf(part["filename"]));
    case "input_audio":
      return media("audio", audioSource(fieldsOf(part["input_audio"])));
    default:
      throw refusal(`${param}.type`, `Parts of type '${String(part["type"]).slice(0, 40)}' are not available here.`);
  }
}

function fileSource(part: Fields, param: string): MediaSource {
  const url = textOf(part["file_url"]);
  if (url !== undefined) return { type: "url", url };
  const data = textOf(part["file_data"]);
  if (data === undefined) throw refusal(param, "requires file_data or file_url: stored files are not supported.");
  const source = sourceOfUrl(data, "application/pdf");
  return source.type === "url" ? { type: "inline", mediaType: "application/pdf", base64: data } : source;
}
