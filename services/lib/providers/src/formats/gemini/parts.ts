import { type Fields, fieldsOf, isFields, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import type { MediaKind, MediaPart, TextPart } from "../../conversation/types.ts";

const kinds: readonly (readonly [prefix: string, kind: MediaKind])[] = [
  ["image/", "image"],
  ["audio/", "audio"],
  ["video/", "video"],
];

/** The kind of media that a part holds, by its media type. */
const kindOf = (mediaType: string): MediaKind =>
  kinds.find(([prefix]) => mediaType.startsWith(prefix))?.[1] ?? "document";

/** Text or media of a user's content, or of a function's response. */
export function readPart(part: Fields, param: string): TextPart | MediaPart {
  const { inlineData: blob, fileData: file } = part;
  if (isFields(blob)) {
    const mediaType = textOf(blob["mimeType"]) ?? "";
    const base64 = standardBase64(textOf(blob["data"]) ?? "");
    return mediaPart(mediaType, { type: "inline", mediaType, base64 }, { part: blob, param: `${param}.inlineData` });
  }
  if (isFields(file)) {
    const url = textOf(file["fileUri"]) ?? "";
    const mediaType = textOf(file["mimeType"]) ?? "";
    return mediaPart(mediaType, { type: "url", url }, { part: file, param: `${param}.fileData` });
  }
  const text = textOf(part["text"]);
  if (text !== undefined) return { type: "text", text };
  const [name = "an empty part"] = Object.keys(part);
  throw refusal(param, `Parts with '${name.slice(0, 60)}' are not available with this model.`);
}

function mediaPart(
  mediaType: string,
  source: MediaPart["source"],
  { part, param }: { readonly part: Fields; readonly param: string },
): MediaPart {
  return { type: "media", kind: kindOf(mediaType), source, title: textOf(part["displayName"]), param };
}

/** Google accepts both alphabets, other providers only the standard one. */
const standardBase64 = (data: string): string =>
  /[-_]/.test(data) ? data.replaceAll("-", "+").replaceAll("_", "/") : data;

/** What a function returned, as text: usually its one member is the output, or an error. */
export function responseText(response: unknown): { readonly text: string; readonly isError: boolean } {
  const fields = fieldsOf(response);
  const [[name, value] = ["", undefined], ...others] = Object.entries(fields);
  const isError = name === "error" && others.length === 0;
  const isOnly = others.length === 0 && ["output", "result", "error"].includes(name);
  if (!isOnly) return { text: JSON.stringify(fields), isError };
  return { text: typeof value === "string" ? value : JSON.stringify(value ?? null), isError };
}
