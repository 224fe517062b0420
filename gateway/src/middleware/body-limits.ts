import { GatewayError } from "@uag/kit/errors.ts";
import type { Handler } from "../request-state.ts";
import type { BodyKind } from "../routes.ts";

/** Largest request body by kind, bytes. */
export type BodyLimits = Readonly<Record<Exclude<BodyKind, "none">, number>>;

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i;
const multipartType = /^multipart\/form-data\s*;/i;

/** Judges a body by what its head says of it, before a byte of it is read. */
export function checkBodyHead(kind: BodyKind, limits: BodyLimits): Handler {
  return (request, _response, next) => {
    if (kind === "none") return next();
    const { headers } = request;
    if (Number(headers["content-length"] ?? 0) > limits[kind]) throw bodyTooLarge(limits[kind]);
    const encoding = headers["content-encoding"];
    if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity")
      throw new GatewayError("unsupported_media_type", "Compressed request bodies are not supported.");
    const type = headers["content-type"];
    if (kind === "json" && type !== undefined && type !== "application/json" && !jsonType.test(type))
      throw new GatewayError("unsupported_media_type", "Send the request body as application/json in UTF-8.");
    if (kind === "multipart" && !multipartType.test(type ?? ""))
      throw new GatewayError("unsupported_media_type", "Send the request body as multipart/form-data.");
    next();
  };
}

/** @param limit bytes */
export function bodyTooLarge(limit: number): GatewayError {
  return new GatewayError("payload_too_large", `The request body is larger than ${limit} bytes.`);
}
