import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Route } from "@uag/contract/routes";
import { parseMediaType } from "@uag/untrusted/http/media-type";
import type { Handler } from "../request-state.ts";

/** `application/json` and `application/*+json`, in UTF-8. */
function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const type = parseMediaType(contentType);
  if (type === undefined) return false;
  const { essence, parameters } = type;
  if (essence !== "application/json" && !(essence.startsWith("application/") && essence.endsWith("+json")))
    return false;
  const charset = parameters.get("charset")?.toLowerCase() ?? "utf-8";
  return charset === "utf-8" || charset === "utf8";
}

/** The service that reads the form validates its boundary. */
function isForm(contentType: string): boolean {
  return parseMediaType(contentType)?.essence === "multipart/form-data";
}

/** Checks a body by its headers before any of it is read. */
export function checkBodyHead({ body: kind, maxBodyBytes }: Pick<Route, "body" | "maxBodyBytes">): Handler {
  return (request, _response, next) => {
    if (kind === "none") return next();
    const { headers } = request;
    if (Number(headers["content-length"] ?? 0) > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
    const encoding = headers["content-encoding"];
    if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity")
      throw new GatewayError("unsupported_media_type", "Compressed request bodies are not supported.");
    const type = headers["content-type"];
    if (kind === "json" && type !== undefined && !isJson(type))
      throw new GatewayError("unsupported_media_type", "Send the request body as application/json in UTF-8.");
    if ((kind === "multipart" || kind === "upload") && !isForm(type ?? ""))
      throw new GatewayError("unsupported_media_type", "Send the request body as multipart/form-data.");
    next();
  };
}

/** @param limit bytes */
export function bodyTooLarge(limit: number): GatewayError {
  return new GatewayError("payload_too_large", `The request body exceeds the limit of ${limit} bytes.`);
}
