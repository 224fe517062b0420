import { UpstreamFailure } from "../failure.ts";

const unreachable = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  // A proxy that refuses the connection.
  "UND_ERR_PRX_CONN",
  "UND_ERR_PRX_TLS",
  "UND_ERR_ABORTED",
]);

/** Converts a network error to a failure. */
export function wireFailure(error: unknown, status: number): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const { code = "", message = "", syscall } = error as NodeJS.ErrnoException;
  if (unreachable.has(code) || syscall === "connect") {
    return new UpstreamFailure("unreachable", `no connection: ${code || message}`, { cause: error });
  }
  // A path or header that would break the request: it came from our configuration.
  if (code === "UND_ERR_INVALID_ARG") return new UpstreamFailure("operator", `the request cannot be sent: ${message}`);
  if (code === "UND_ERR_DESTROYED") return new UpstreamFailure("cancelled", "the service is stopping");
  return new UpstreamFailure("transient", `the connection broke: ${code || message}`, { status, cause: error });
}

/** A response that is not HTTP, or whose end is ambiguous. */
export function malformedResponse(what: string): UpstreamFailure {
  return new UpstreamFailure("transient", `the upstream's response is not valid HTTP: ${what}`);
}

/** The limit of concurrent calls to the upstream is reached. */
export function busy(what: string): UpstreamFailure {
  return new UpstreamFailure("busy", what, { retryAfterMs: 1_000 });
}
