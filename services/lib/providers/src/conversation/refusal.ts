import { UpstreamFailure } from "../failure.ts";

/**
 * A client error for a request that the upstream's protocol cannot express, raised before anything
 * is sent.
 * @param param path of the field at fault
 */
export function refusal(param: string, message: string, code = "unsupported_value"): UpstreamFailure {
  const reported = { message: `${param}: ${message}`, type: "invalid_request_error", code, param };
  return new UpstreamFailure("client", reported.message, { reported });
}
