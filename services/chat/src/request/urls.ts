import { checkOutside } from "@uag/pipeline/request/urls";
import { geminiParts } from "@uag/providers/passed-fields/parts";
import type { GuardedClient } from "@uag/untrusted/http/guarded";

type Guard = Pick<GuardedClient, "leadsInside">;

/** Where content parts keep a URL: in an object of this name, or as its text. */
const holders = ["image_url", "video_url", "audio_url", "file_url", "source"] as const;

/**
 * Checks the URLs of a request's content parts, in any format. Tool call arguments are not
 * checked: the gateway does not fetch those.
 * @throws {GatewayError} `invalid_request` for one that leads into a private network
 */
export function checkUrls(fields: Readonly<Record<string, unknown>>, guarded: Guard): void {
  for (const name of ["messages", "input"])
    eachOf(fields[name], name, (item, at) => {
      checkParts(item["content"], `${at}.content`, guarded);
      // What a tool returned, in the Responses format.
      checkParts(item["output"], `${at}.output`, guarded);
    });
  for (const { fileData } of geminiParts(fields))
    if (isObject(fileData)) checkOutside(fileData["fileUri"], "fileData.fileUri", guarded);
}

function checkParts(content: unknown, at: string, guarded: Guard): void {
  eachOf(content, at, (part, where) => {
    for (const holder of holders) {
      const held = part[holder];
      if (typeof held === "string") checkOutside(held, `${where}.${holder}`, guarded);
      if (isObject(held)) checkOutside(held["url"], `${where}.${holder}.url`, guarded);
    }
    const { input_audio: audio, video } = part;
    if (isObject(audio)) checkOutside(audio["data"], `${where}.input_audio.data`, guarded);
    if (Array.isArray(video))
      for (const [index, url] of video.entries()) checkOutside(url, `${where}.video[${index}]`, guarded);
    // The blocks of a tool result.
    if (part["type"] === "tool_result") checkParts(part["content"], `${where}.content`, guarded);
  });
}

function eachOf(list: unknown, at: string, look: (item: Record<string, unknown>, at: string) => void): void {
  if (!Array.isArray(list)) return;
  list.forEach((item, index) => {
    if (isObject(item)) look(item, `${at}[${index}]`);
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
