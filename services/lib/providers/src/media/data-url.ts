import type { MediaSource } from "../conversation/types.ts";

const dataUrl = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?(?:;[a-z0-9=_.-]+)*;base64,/i;
const sameType: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "audio/mpeg": "audio/mp3",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
};

/** The source behind a URL: inline content for a data URL, else the URL itself. */
export function sourceOfUrl(url: string, otherwise = "application/octet-stream"): MediaSource {
  const match = dataUrl.exec(url);
  if (match === null) return { type: "url", url };
  return {
    type: "inline",
    mediaType: mediaType(match[1] ?? otherwise),
    base64: standardBase64(url.slice(match[0].length)),
  };
}

/** The usual name of a media type, without parameters. */
export function mediaType(text: string): string {
  const plain = (text.split(";", 1)[0] as string).trim().toLowerCase();
  return sameType[plain] ?? plain;
}

export function dataUrlOf(mediaTypeName: string, base64: string): string {
  return `data:${mediaTypeName};base64,${base64}`;
}

/** Converts to the standard alphabet with padding: vendors reject the URL-safe one. */
function standardBase64(text: string): string {
  const standard = /[-_]/.test(text) ? text.replaceAll("-", "+").replaceAll("_", "/") : text;
  return standard.length % 4 === 0 ? standard : standard.padEnd(Math.ceil(standard.length / 4) * 4, "=");
}
