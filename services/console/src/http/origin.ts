import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Request } from "express";
import { isSecure } from "./cookies.ts";

/** The origin that the browser requested, as the router received it. */
function ownOrigin(request: Request): string {
  return `${isSecure(request) ? "https" : "http"}://${request.headers["x-forwarded-host"] ?? request.headers.host ?? ""}`;
}

const denied = (): GatewayError => new GatewayError("permission_denied", "The request comes from another origin.");

/**
 * Refuses requests that pages of other sites make browsers send. Browsers send a request's source
 * in `Sec-Fetch-Site`, older ones in `Origin`; other clients send neither, and have no cookie to
 * steal.
 * @throws {GatewayError} `permission_denied`
 */
export function checkOrigin(request: Request): void {
  const { origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") throw denied();
  if (origin !== undefined && origin !== ownOrigin(request)) throw denied();
}
