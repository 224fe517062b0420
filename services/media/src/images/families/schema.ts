import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Quality } from "@uag/contract/requests/images";

/** Older models use the names `standard` and `hd`. */
const aliases: Partial<Record<Quality, Quality>> = { standard: "medium", hd: "high" };

export function plainQuality(quality: Quality): Quality {
  return aliases[quality] ?? quality;
}

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
