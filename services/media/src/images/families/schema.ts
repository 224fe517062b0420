import type { Model } from "@uag/catalog/types.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { imageFields } from "@uag/contract/requests/fields.ts";
import { z } from "zod";

export type Quality = z.infer<typeof imageFields.quality>;

/** Older models use the names `standard` and `hd`. */
const aliases: Partial<Record<Quality, Quality>> = { standard: "medium", hd: "high" };

export function plainQuality(quality: Quality): Quality {
  return aliases[quality] ?? quality;
}

/** Fields accepted by every family with OpenAI's format. */
export const commonShape = {
  model: z.string(),
  prompt: imageFields.prompt,
  n: z.int().min(1).nullish(),
  size: z.string().min(1).max(32).nullish(),
  quality: imageFields.quality.nullish(),
  response_format: z.enum(["url", "b64_json"]).nullish(),
  stream: z.boolean().nullish(),
  user: z.string().max(512).nullish(),
} as const;

export function invalid(param: string, message: string): GatewayError {
  return new GatewayError("invalid_request", `${param}: ${message}.`, { param });
}

/** @throws {GatewayError} when the model does not make that many images per request */
export function checkCount(count: number, model: Model, param = "n"): void {
  const max = model.image?.maxImages ?? 1;
  if (count > max) throw invalid(param, max === 1 ? "must be 1 for this model" : `must be at most ${max}`);
}

/** @throws {GatewayError} listing the sizes, unless the size is one of them */
export function checkListed(size: string, sizes: readonly string[], param = "size"): void {
  if (!sizes.includes(size)) throw invalid(param, `must be one of ${sizes.join(", ")}`);
}

/** Members that are neither absent nor null. */
export function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}
