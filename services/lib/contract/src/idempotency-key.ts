import { GatewayError } from "./errors/gateway-error.ts";

/** Longest `Idempotency-Key` of a request, characters. */
export const maxIdempotencyKeyLength = 255;

/** @throws {GatewayError} `invalid_request` */
export function checkIdempotencyKey(key: string): void {
  if (key !== "" && key.length <= maxIdempotencyKeyLength) return;
  const text = `Idempotency-Key: must have 1 to ${maxIdempotencyKeyLength} characters.`;
  throw new GatewayError("invalid_request", text, { param: "idempotency-key" });
}
