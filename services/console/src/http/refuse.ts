import { GatewayError, toGatewayError } from "@uag/contract/errors/gateway-error";
import { retryHeaders } from "@uag/contract/errors/retry-headers";
import { errorBody } from "@uag/contract/errors/shapes";
import { isUnavailable } from "@uag/mongo/errors";
import { isDisconnect } from "@uag/runtime/http/disconnect";
import { newId } from "@uag/runtime/ids";
import type { NextFunction, Request, Response } from "express";
import type { Events } from "../events.ts";

/** The router's id of a request; one of our own without a router in front. */
export function requestIdOf(request: Request): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && given !== "" ? given : newId("con");
}

function asGatewayError(thrown: unknown, response: Response): GatewayError {
  if (isDisconnect(thrown, response)) return new GatewayError("client_closed_request", undefined, { cause: thrown });
  return isUnavailable(thrown)
    ? new GatewayError("service_unavailable", undefined, { cause: thrown })
    : toGatewayError(thrown);
}

/** The last handler: whatever was thrown becomes an error response of the gateway's shape. */
export function renderErrors(events: Events) {
  return (thrown: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const error = asGatewayError(thrown, response);
    const requestId = requestIdOf(request);
    events.refused(error, requestId);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const headers = retryHeaders(error);
    for (let i = 0; i + 1 < headers.length; i += 2) response.setHeader(headers[i] as string, headers[i + 1] as string);
    response.setHeader("cache-control", "no-store");
    response.status(error.httpStatus).json(errorBody("nested", { error, requestId }));
  };
}
