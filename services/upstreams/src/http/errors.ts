import { UpstreamFailure } from "../failure.ts";

const unreachable = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** What went wrong on the wire, as a failure. */
export function wireFailure(error: unknown, status: number): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  if (unreachable.has(code)) return new UpstreamFailure("unreachable", `no connection: ${code}`, { cause: error });
  return new UpstreamFailure("transient", `the connection broke: ${code || message}`, { status, cause: error });
}

/** An answer that is not HTTP, or leaves open where it ends. */
export function malformedAnswer(what: string): UpstreamFailure {
  return new UpstreamFailure("transient", `the upstream's answer is not valid HTTP: ${what}`);
}
