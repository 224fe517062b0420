import { hashOf } from "../content/hash.ts";
import type { Faults } from "../faults/catalogue.ts";
import type { Call } from "../http/types.ts";
import type { ImageSpec } from "./image.ts";
import type { VideoSpec } from "./mp4.ts";

/** A file that the simulator can regenerate at any time from its own name. */
export type MediaSpec =
  | ({ readonly kind: "image" } & Omit<ImageSpec, "quality">)
  | ({ readonly kind: "video" } & VideoSpec)
  | { readonly kind: "speech"; readonly digest: string; readonly seconds: number; readonly unsized: boolean };

/** Properties of a URL other than its file. */
export interface UrlTraits {
  readonly origin: string;
  /** Unix time in seconds. */
  readonly expires: number;
  readonly slow?: number | undefined;
  /** Size to which the file is padded, in MiB. */
  readonly mebibytes?: number | undefined;
}

/** Lifetime of media URLs, in seconds. */
export const dayOfSeconds = 86_400;

const captionPart = (caption: string): string =>
  caption === "" ? "" : `-t.${Buffer.from(caption).toString("base64url").replaceAll("-", ".")}`;

function nameOf(spec: MediaSpec): string {
  const digest = spec.digest.slice(0, 16);
  switch (spec.kind) {
    case "image":
      return `${digest}-${spec.width}x${spec.height}${spec.transparent ? "-alpha" : ""}${captionPart(spec.caption)}.${spec.format}`;
    case "video": {
      const ms = Math.round(spec.seconds * 1000);
      return `${digest}-${spec.width}x${spec.height}-${ms}ms${spec.sound ? "-sound" : ""}.mp4`;
    }
    case "speech":
      return `${digest}-${Math.round(spec.seconds * 1000)}ms${spec.unsized ? "-unsized" : ""}.wav`;
  }
}

const imageName =
  /^(?<digest>[\da-f]{16})-(?<width>\d{1,5})x(?<height>\d{1,5})(?<alpha>-alpha)?(?:-t\.(?<caption>[\w.]{1,400}))?\.(?<format>png|jpeg|webp)$/;
const videoName =
  /^(?<digest>[\da-f]{16})-(?<width>\d{1,5})x(?<height>\d{1,5})-(?<ms>\d{1,7})ms(?<sound>-sound)?\.mp4$/;
const speechName = /^(?<digest>[\da-f]{16})-(?<ms>\d{1,7})ms(?<unsized>-unsized)?\.wav$/;

/** The file that a path names; undefined if none. */
export function specOf(kind: string, name: string): MediaSpec | undefined {
  const pattern = { image: imageName, video: videoName, speech: speechName }[kind];
  const groups = pattern?.exec(name)?.groups;
  if (groups === undefined) return undefined;
  const { digest = "", format } = groups;
  const size = { width: Number(groups["width"]), height: Number(groups["height"]) };
  const seconds = Number(groups["ms"]) / 1000;
  const caption = Buffer.from((groups["caption"] ?? "").replaceAll(".", "-"), "base64url").toString();
  if (kind === "speech") return { kind, digest, seconds, unsized: groups["unsized"] !== undefined };
  if (kind === "video") return { kind, digest, ...size, seconds, sound: groups["sound"] !== undefined };
  if (format !== "png" && format !== "jpeg" && format !== "webp") return undefined;
  return { kind: "image", digest, caption, ...size, format, transparent: groups["alpha"] !== undefined };
}

/** Makes a URL unguessable and its query tamper-proof. */
export function signatureOf(path: string, expires: string, slow: string, mebibytes: string): string {
  return hashOf("media", path, expires, slow, mebibytes).slice(0, 32);
}

/** A URL under which the simulator serves a file until it expires. */
export function mediaUrl(spec: MediaSpec, traits: UrlTraits): string {
  const path = `/media/${spec.kind}/${nameOf(spec)}`;
  const expires = String(traits.expires);
  const slow = traits.slow === undefined ? "" : String(traits.slow);
  const mebibytes = traits.mebibytes === undefined ? "" : String(traits.mebibytes);
  const query = new URLSearchParams({ Expires: expires });
  if (slow !== "") query.set("slow", slow);
  if (mebibytes !== "") query.set("mib", mebibytes);
  query.set("Signature", signatureOf(path, expires, slow, mebibytes));
  return `${traits.origin}${path}?${query}`;
}

function expiryOf(faults: Faults, lifeSeconds: number): number {
  const now = Math.floor(Date.now() / 1000);
  return faults["media-expired"] === undefined ? now + lifeSeconds : now - 1;
}

/** The traits of a URL in the response to a call, according to its faults. */
export function traitsOf({ origin, faults }: Call, lifeSeconds: number = dayOfSeconds): UrlTraits {
  const traits = { slow: faults["media-slow"], mebibytes: faults["image-mib"] };
  return { origin, expires: expiryOf(faults, lifeSeconds), ...traits };
}
