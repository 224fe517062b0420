import { type Fields, fieldsOf, listOf, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import type { MediaPart, MediaSource, TextPart } from "../../conversation/types.ts";

type Part = TextPart | MediaPart;

export function imagePart(block: Fields, param: string): MediaPart {
  const source = mediaSource(fieldsOf(block["source"]), `${param}.source`);
  return { type: "media", kind: "image", source, title: undefined, param };
}

/** A document by its content: its text, its blocks, or the file itself. */
export function documentParts(
  block: Fields,
  param: string,
  readBlock: (block: Fields, param: string) => Part[],
): Part[] {
  const source = fieldsOf(block["source"]);
  const title = textOf(block["title"]);
  const heading: Part[] = [title, textOf(block["context"])].flatMap((text) =>
    text === undefined || text === "" ? [] : [{ type: "text", text }],
  );
  if (source["type"] === "text") return [...heading, { type: "text", text: textOf(source["data"]) ?? "" }];
  if (source["type"] === "content") {
    const { content } = source;
    if (typeof content === "string") return [...heading, { type: "text", text: content }];
    const inner = listOf(content).flatMap((item, index) =>
      readBlock(fieldsOf(item), `${param}.source.content.${index}`),
    );
    return [...heading, ...inner];
  }
  return [{ type: "media", kind: "document", source: mediaSource(source, `${param}.source`), title, param }];
}

function mediaSource(source: Fields, param: string): MediaSource {
  const { type, url, media_type, data } = source;
  if (type === "url" && typeof url === "string") return { type, url };
  if (type === "base64" && typeof media_type === "string" && typeof data === "string") {
    return { type: "inline", mediaType: media_type, base64: data };
  }
  throw refusal(`${param}.type`, `Sources of type '${String(type).slice(0, 40)}' are not available with this model.`);
}
