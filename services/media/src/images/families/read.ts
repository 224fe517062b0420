import type { ImageFamily } from "@uag/catalog/types";
import { readAlpha } from "./alpha.ts";
import { readGamma } from "./gamma.ts";
import { readImageInput } from "./image-input.ts";
import type { Reader } from "./reader.ts";

export const readers: Readonly<Record<ImageFamily, Reader>> = {
  alpha: readAlpha,
  gamma: readGamma,
  delta: readGamma,
  seedream: readImageInput,
  grok: readImageInput,
  gemini: readImageInput,
};
