import { GatewayError } from "@uag/contract/errors/gateway-error";
import { countHeader } from "../headers.ts";

const hint = "Send it as: Authorization: Bearer <API_KEY>.";

/**
 * The key of a request: of its `Authorization` header or, where the route has one and that is
 * absent, of another header.
 * @throws {GatewayError} `invalid_api_key` with the reason
 */
export function keyOf({ headers, rawHeaders }: Head, keyHeader: string | undefined): string {
  const other = keyHeader === undefined ? undefined : headers[keyHeader];
  if (headers["authorization"] !== undefined || typeof other !== "string" || other === "")
    return bearerKey(headers, rawHeaders);
  if (countHeader(rawHeaders, keyHeader as string) > 1)
    throw new GatewayError("invalid_api_key", `More than one header ${keyHeader} was sent.`);
  return other.trim();
}

interface Head {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly rawHeaders: readonly string[];
}

/**
 * The key of an `Authorization: Bearer <key>` header. The scheme's case and extra spaces do not
 * matter (RFC 9110, 11.1).
 * @throws {GatewayError} `invalid_api_key` with the reason
 */
export function bearerKey(headers: NodeJS.Dict<string | string[]>, rawHeaders: readonly string[]): string {
  const value = headers["authorization"];
  if (typeof value !== "string" || value === "") {
    if (headers["x-api-key"] !== undefined)
      throw new GatewayError("invalid_api_key", `The header x-api-key is not accepted. ${hint}`);
    throw new GatewayError("invalid_api_key", `No API key was sent. ${hint}`);
  }
  if (countHeader(rawHeaders, "authorization") > 1)
    throw new GatewayError("invalid_api_key", `More than one Authorization header was sent. ${hint}`);
  const key = afterScheme(value);
  if (key === undefined) throw new GatewayError("invalid_api_key", `The Authorization scheme is not Bearer. ${hint}`);
  if (key === "") throw new GatewayError("invalid_api_key", `The API key is empty. ${hint}`);
  return key;
}

function afterScheme(value: string): string | undefined {
  if (value.startsWith("Bearer ") && value.charCodeAt(7) > 32) return value.slice(7).trimEnd();
  const trimmed = value.trim();
  const end = trimmed.indexOf(" ");
  const scheme = end < 0 ? trimmed : trimmed.slice(0, end);
  if (scheme.toLowerCase() !== "bearer") return undefined;
  return end < 0 ? "" : trimmed.slice(end).trimStart();
}
