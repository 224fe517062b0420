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
    eachOf(fields[name], (item, index) => {
      checkParts(item["content"], () => `${name}[${index}].content`, guarded);
      // What a tool returned, in the Responses format.
      checkParts(item["output"], () => `${name}[${index}].output`, guarded);
    });
  for (const { fileData } of geminiParts(fields))
    if (isObject(fileData)) checkOutside(fileData["fileUri"], "fileData.fileUri", guarded);
}

/** @param path where the content is in the request; called only if it has a URL, as most have none */
function checkParts(content: unknown, path: () => string, guarded: Guard): void {
  eachOf(content, (part, index) => {
    const check = (url: unknown, member: string): void => {
      if (url !== undefined) checkOutside(url, `${path()}[${index}].${member}`, guarded);
    };
    for (const holder of holders) {
      const held = part[holder];
      if (typeof held === "string") check(held, holder);
      if (isObject(held)) check(held["url"], `${holder}.url`);
    }
    const { input_audio: audio, video } = part;
    if (isObject(audio)) check(audio["data"], "input_audio.data");
    if (Array.isArray(video)) for (const [at, url] of video.entries()) check(url, `video[${at}]`);
    // The blocks of a tool result.
    if (part["type"] === "tool_result") checkParts(part["content"], () => `${path()}[${index}].content`, guarded);
  });
}

function eachOf(list: unknown, look: (item: Record<string, unknown>, index: number) => void): void {
  if (!Array.isArray(list)) return;
  for (let index = 0; index < list.length; index++) {
    const item: unknown = list[index];
    if (isObject(item)) look(item, index);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
