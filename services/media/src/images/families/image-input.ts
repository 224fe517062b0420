import type { ImageFamily } from "@uag/catalog/types";
import { imageRequests } from "@uag/contract/requests/images";
import { pixelsOf } from "@uag/providers/images/sizes";
import type { ImageSource } from "@uag/providers/images/types";
import type { GuardedClient } from "@uag/untrusted/http/guarded";
import { checked } from "@uag/untrusted/schema-fault";
import type { z } from "zod";
import { sourceOf } from "../sources.ts";
import type { Reader } from "./reader.ts";
import { checkCount, invalid, plainQuality, present } from "./schema.ts";

const steepestRatio = 16;
const keyword = /^[1-8](?:\.5)?K$/;

const ownFields = {
  seedream: ["seed", "guidance_scale", "watermark", "output_format"],
  grok: ["aspect_ratio", "resolution"],
  gemini: ["aspect_ratio", "resolution"],
} as const;

type InputFamily = keyof typeof ownFields;

/**
 * OpenAI's format for models that also accept images in a JSON body: `image` is a URL, a data URL,
 * or a list of them.
 */
export const readImageInput: Reader = ({ fields, model, guarded }) => {
  const family = model.image?.family as InputFamily;
  const requested: ImageInputFields = checked(imageRequests[family], fields);
  checkCount(requested.n ?? 1, model);
  if (requested.stream === true) throw invalid("stream", "is not supported by this model");
  const size = requested.size == null || requested.size === "auto" ? undefined : requested.size;
  if (size !== undefined) checkSize(size, family, model.image?.sizes ?? []);
  const own = Object.fromEntries(ownFields[family].map((name) => [name, fields[name]]));
  const quality =
    requested.quality == null || requested.quality === "auto" ? undefined : plainQuality(requested.quality);
  return {
    prompt: requested.prompt,
    count: requested.n ?? 1,
    references: referencesIn(requested.image, model.image?.references.max ?? 0, guarded),
    mask: undefined,
    size,
    delivery: requested.response_format === "b64_json" ? "inline" : "url",
    stream: false,
    options: present({ ...own, ...(family === "grok" && { quality, user: requested.user }) }),
  };
};

type ImageInputFields = z.infer<(typeof imageRequests)[InputFamily]>;

function referencesIn(
  images: string | string[] | null | undefined,
  max: number,
  guarded: GuardedClient,
): ImageSource[] {
  const list = images == null ? [] : Array.isArray(images) ? images : [images];
  if (list.length > max) {
    throw invalid("image", max === 0 ? "is not supported by this model" : `must be at most ${max} images`);
  }
  const several = Array.isArray(images);
  return list.map((text, index) => sourceOf(text, several ? `image[${index}]` : "image", guarded));
}

function checkSize(size: string, family: ImageFamily, sizes: readonly string[]): void {
  if (sizes.includes(size)) return;
  const pixels = pixelsOf(size);
  const words = family === "seedream" && keyword.test(size);
  if (words && sizes.length > 0) throw invalid("size", `must be <width>x<height> or one of ${sizes.join(", ")}`);
  if (words) return;
  if (pixels === undefined || !size.includes("x")) {
    throw invalid("size", `must be one of ${["auto", "<width>x<height>", ...sizes].join(", ")}`);
  }
  const { width, height } = pixels;
  if (Math.max(width, height) > Math.min(width, height) * steepestRatio) {
    throw invalid("size", `must not be longer than ${steepestRatio}:1`);
  }
}
