import { headerOf } from "@uag/runtime/http/header-of";
import type { LineResponse } from "./line-response.ts";

/** A response's body as JSON without line ends, which in JSON are only between values. */
export function flatJson({ headers, body }: LineResponse): Buffer {
  if (!(headerOf(headers, "content-type") ?? "").includes("json")) return Buffer.from(JSON.stringify(body.toString()));
  const flat = Buffer.from(body);
  for (let at = 0; at < flat.length; at++) if (flat[at] === 0x0a || flat[at] === 0x0d) flat[at] = 0x20;
  return flat;
}
