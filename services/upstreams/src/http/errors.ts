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
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** What went wrong on the wire, as a failure. */
export function wireFailure(error: Error, status: number): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (unreachable.has(code)) return new UpstreamFailure("unreachable", `no connection: ${code}`, { cause: error });
  return new UpstreamFailure("transient", `the connection broke: ${code || error.message}`, { status, cause: error });
}
