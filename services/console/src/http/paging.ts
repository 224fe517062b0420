import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { PageRequest } from "@uag/mongo/paging";
import { queryOf } from "@uag/runtime/http/target";
import type { Request, Response } from "express";

/**
 * The page that a query asks for, in the admin API's names.
 * @throws {GatewayError} `invalid_request`
 */
export function pageOf(request: Request): PageRequest {
  const query = queryOf(request.originalUrl);
  const limit = query.get("limit") ?? "0";
  if (!/^\d{1,4}$/.test(limit))
    throw new GatewayError("invalid_request", "A page can have 1 to 1000 rows.", { param: "limit" });
  return { limit: Number(limit), cursor: query.get("after") ?? "" };
}

/** Sends a page as the admin API does. */
export function sendPage(response: Response, data: readonly object[], nextCursor: string): void {
  response.json({ object: "list", data, has_more: nextCursor !== "", next_cursor: nextCursor || null });
}
