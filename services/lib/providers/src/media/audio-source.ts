import { type Fields, textOf } from "../conversation/fields.ts";
import type { MediaSource } from "../conversation/types.ts";
import { mediaType, sourceOfUrl } from "./data-url.ts";

/** The audio of a part of type `input_audio`, in either of OpenAI's formats: base64, or a URL of either kind. */
export function audioSource(audio: Fields): MediaSource {
  const data = textOf(audio["data"]) ?? "";
  const type = mediaType(`audio/${textOf(audio["format"]) ?? "wav"}`);
  if (/^(https?|data):/i.test(data)) return sourceOfUrl(data, type);
  return { type: "inline", mediaType: type, base64: data };
}
