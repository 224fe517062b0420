import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Request } from "express";
import { isSecure } from "./cookies.ts";

/** The origin that the browser has asked, as the router heard it. */
export function ownOrigin(request: Request): string {
  return `${isSecure(request) ? "https" : "http"}://${request.headers["x-forwarded-host"] ?? request.headers.host ?? ""}`;
}

const denied = (): GatewayError =>
  new GatewayError("permission_denied", "The request comes from a page of another site.");

/**
 * Refuses what a page of another site has a browser send. Browsers say where a request comes from
 * in `Sec-Fetch-Site`, older ones in `Origin`; what is no browser says nothing and has no cookie to
 * steal.
 * @throws {GatewayError} `permission_denied`
 */
export function checkOrigin(request: Request): void {
  const { origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") throw denied();
  if (origin !== undefined && origin !== ownOrigin(request)) throw denied();
}
