import { parseDataUrl } from "../content/data-url.ts";
import { imageInfo } from "../content/image-size.ts";
import { specOf } from "./url.ts";

/**
 * The target of a media reference in a request. The simulator fetches nothing: a data URL is
 * decoded, one of its own URLs names its file, a host under `.invalid` is unreachable, and any
 * other URL is assumed to be a valid file of unknown content.
 */
export type Probe =
  | {
      readonly kind: "image";
      readonly mimeType: string;
      readonly width: number;
      readonly height: number;
      readonly size: number;
    }
  | { readonly kind: "video" | "speech"; readonly seconds: number }
  | { readonly kind: "unknown" | "unreachable" | "broken" | "not-a-url" };

function probeOwn(url: URL): Probe {
  const [, root, kind = "", name = ""] = url.pathname.split("/");
  const spec = root === "media" ? specOf(kind, name) : undefined;
  if (spec === undefined) return { kind: "unknown" };
  if (spec.kind !== "image") return { kind: spec.kind, seconds: spec.seconds };
  return { kind: "image", mimeType: `image/${spec.format}`, width: spec.width, height: spec.height, size: 0 };
}

export function probe(reference: string): Probe {
  if (reference.startsWith("data:")) {
    const data = parseDataUrl(reference);
    const info = data && imageInfo(data.bytes);
    if (info !== undefined && data !== undefined) return { kind: "image", ...info, size: data.bytes.length };
    return { kind: data === undefined || /^image\//.test(data.mimeType) ? "broken" : "unknown" };
  }
  if (!URL.canParse(reference)) return { kind: "not-a-url" };
  const url = new URL(reference);
  if (!/^(https?|oss|asset):$/.test(url.protocol)) return { kind: "not-a-url" };
  return url.hostname.endsWith(".invalid") ? { kind: "unreachable" } : probeOwn(url);
}
