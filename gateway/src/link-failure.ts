import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type ErrorCode, isErrorCode } from "@uag/contract/errors/table";
import type { LinkError } from "@uag/link/errors";

/**
 * True when a service ended its response deliberately, after reporting the reason to the client.
 */
export function isReportedByService(failure: LinkError): boolean {
  return codeOf(failure) !== undefined;
}

function codeOf({ code, reason }: LinkError): ErrorCode | undefined {
  return code === "failed" && isErrorCode(reason) ? reason : undefined;
}

/** A link failure as reported to the client. */
export function linkFailure(failure: LinkError): GatewayError {
  switch (failure.code) {
    case "unsent":
    case "unavailable":
    case "closed":
      return new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause: failure });
    case "deadline":
      return new GatewayError("upstream_timeout", "The request exceeded the maximum duration.", { cause: failure });
    case "too_large":
      return new GatewayError(failure.seen ? "internal_error" : "headers_too_large", undefined, { cause: failure });
    case "failed":
      return new GatewayError(codeOf(failure) ?? "internal_error", undefined, { cause: failure });
    case "broken":
    case "aborted":
    case "cancelled":
    case "protocol":
      return new GatewayError(
        "internal_error",
        "The connection to the service was lost. The request may have been executed.",
        { cause: failure },
      );
  }
}
