import { maxEditImages } from "@uag/contract/requests/fields.ts";
import { z } from "zod";
import { editSchema } from "./edits/fields.ts";
import { alphaSchema } from "./families/alpha.ts";
import { gammaSchema } from "./families/gamma.ts";
import { imageInputSchemas } from "./families/image-input.ts";

/** The bodies of `POST /v1/images/generations`, by the family of the model. */
export const imageGenerationBodies = {
  Alpha: alphaSchema,
  Gamma: gammaSchema,
  Seedream: imageInputSchemas.seedream,
  Grok: imageInputSchemas.grok,
  Gemini: imageInputSchemas.gemini,
} as const;

const picture = z.file();

/**
 * The form of `POST /v1/images/edits`: the text fields, and the files that `readPictures` reads
 * separately.
 */
export const imageEditBody = editSchema.extend({
  model: z.string().min(1),
  image: picture.describe("PNG, JPEG or WebP. Either this or `image[]` is required.").optional(),
  "image[]": z.array(picture).max(maxEditImages).describe("Several images, for models that take them.").optional(),
  mask: picture.describe("PNG of the image's size; what is transparent is edited.").optional(),
});
