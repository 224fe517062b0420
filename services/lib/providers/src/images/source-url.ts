import type { ImageSource } from "./types.ts";

/** An image as a URL: its own, or its content as a data URL. */
export function sourceUrl(source: ImageSource): string {
  return source.type === "url" ? source.url : `data:${source.mediaType};base64,${source.bytes.toString("base64")}`;
}
