import { imageEditRequest, maxEditImages, maxEdits } from "@uag/contract/requests/images";
import { FormData } from "undici";
import { z } from "zod";
import type { Exchange } from "../exchange.ts";
import { pictureOf } from "./image-argument.ts";
import { pictures, picturesOf } from "./pictures.ts";
import { costOf, costUsd, modelField } from "./schemas.ts";
import { defineTool } from "./tool.ts";

const maxImageBytes = 16 * 1024 * 1024;
const maxImageChars = 24 * 1024 * 1024;
const image = z.string().min(1).max(maxImageChars);

const { model, prompt, size, quality, background, output_format } = imageEditRequest.shape;

const input = z.object({
  model: modelField(model),
  prompt: prompt.describe("The change to make."),
  images: z
    .array(image)
    .min(1)
    .max(maxEditImages)
    .describe("Images to edit (PNG, JPEG or WebP), as https URLs or data URLs."),
  mask: image.optional().describe("A PNG of the first image's size; transparent areas are edited."),
  size,
  n: z.int().min(1).max(maxEdits).optional(),
  quality,
  background,
  output_format,
});

export const editImage = defineTool({
  name: "edit_image",
  title: "Edit an image",
  description: "Edits images by a prompt. Billed per token or per image.",
  operation: "images.edits",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input,
  output: z.object({ model: z.string(), pictures, cost_usd: costUsd }),
  async run(args, { exchange, idempotencyKey, signal }) {
    const form = await formOf(args, exchange);
    const response = await exchange.call({ method: "POST", path: "/v1/images/edits", form, idempotencyKey, signal });
    const { pictures, content } = await picturesOf(response, exchange);
    return { structured: { model: args.model, pictures, ...costOf(response.headers) }, content };
  },
});

async function formOf({ images, mask, ...fields }: z.infer<typeof input>, exchange: Exchange): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, String(value));
  const name = images.length === 1 ? "image" : "image[]";
  for (const text of images) await append(form, { name, text }, exchange);
  if (mask !== undefined) await append(form, { name: "mask", text: mask }, exchange);
  return form;
}

/** Adds an image as a file, or as its URL, which the gateway fetches. */
async function append(
  form: FormData,
  { name, text }: { name: string; text: string },
  exchange: Exchange,
): Promise<void> {
  const picture = await pictureOf(text, exchange, maxImageBytes);
  if (typeof picture === "string") form.append(name, picture);
  else form.append(name, new Blob([new Uint8Array(picture.bytes)], { type: picture.mimeType }), "picture");
}
