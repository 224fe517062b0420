import { z } from "zod";

const fields = {
  model: z.string().optional(),
  prompt: z.string().min(1),
  n: z.int().min(1).max(10).nullish(),
  size: z.string().nullish(),
  quality: z.string().nullish(),
  background: z.enum(["transparent", "opaque", "auto"]).nullish(),
  output_format: z.enum(["png", "jpeg", "webp"]).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
  response_format: z.enum(["url", "b64_json"]).nullish(),
  user: z.string().nullish(),
};

/** `POST /v1/images/generations` */
export const generationSchema = z.looseObject({
  ...fields,
  moderation: z.enum(["low", "auto"]).nullish(),
  style: z.enum(["vivid", "natural"]).nullish(),
});
/** `POST /v1/images/edits`, with its text fields converted to their types. */
export const editSchema = z.looseObject({ ...fields, input_fidelity: z.enum(["high", "low"]).nullish() });

export type ImageRequest = z.infer<typeof generationSchema> & z.infer<typeof editSchema>;

const numbers = new Set(["n", "output_compression", "partial_images"]);

/** Converts the text fields of a form to the values they would have in JSON. */
export function valuesOf(fields: { readonly [name: string]: string }): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, text]) => {
    if (numbers.has(name) && /^-?\d+(\.\d+)?$/.test(text)) return [name, Number(text)];
    if (name === "stream" && (text === "true" || text === "false")) return [name, text === "true"];
    return [name, text];
  });
  return Object.fromEntries(entries);
}
