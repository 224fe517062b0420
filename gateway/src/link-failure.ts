import { type ErrorCode, errorTable, GatewayError } from "@uag/kit/errors.ts";
import type { LinkError } from "@uag/link/errors.ts";

/** True when a service ended its answer on purpose, after telling the client why. */
export function isToldByService(failure: LinkError): boolean {
  return failure.code === "failed" && Object.hasOwn(errorTable, failure.reason);
}

/** A failure of the link as the client is told of it. */
export function linkFailure(failure: LinkError): GatewayError {
  switch (failure.code) {
    case "unsent":
    case "unavailable":
    case "closed":
      return new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause: failure });
    case "deadline":
      return new GatewayError("upstream_timeout", "The request took longer than is allowed.", { cause: failure });
    case "too_large":
      return new GatewayError(failure.seen ? "internal_error" : "headers_too_large", undefined, { cause: failure });
    case "failed":
      if (isToldByService(failure)) return new GatewayError(failure.reason as ErrorCode, undefined, { cause: failure });
      return new GatewayError("internal_error", undefined, { cause: failure });
    case "broken":
    case "aborted":
    case "cancelled":
    case "protocol":
      return new GatewayError(
        "internal_error",
        "The service that was answering was lost. The request may have been carried out.",
        { cause: failure },
      );
  }
}
