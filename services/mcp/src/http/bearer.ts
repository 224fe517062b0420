import { GatewayError } from "@uag/contract/errors/gateway-error";

const scheme = /^bearer +([!-~]{1,512})$/i;
const max = 600;

/**
 * The key of an `Authorization` header. @throws {GatewayError} `invalid_api_key` when there is none
 */
export function bearerOf(header: string | undefined): string {
  const key = header === undefined || header.length > max ? undefined : scheme.exec(header)?.[1];
  if (key === undefined) throw new GatewayError("invalid_api_key");
  return key;
}
