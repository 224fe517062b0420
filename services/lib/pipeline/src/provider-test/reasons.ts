import type { FailureKind, UpstreamFailure } from "@uag/providers/failure";

/** Why a step of a test failed or was skipped. The admin API documents them. */
export type TestReason =
  | "not_configured"
  | "dns"
  | "connection"
  | "tls"
  | "address_refused"
  | "wrong_key"
  | "model_not_found"
  | "quota"
  | "rate_limited"
  | "timeout"
  | "rejected"
  | "provider_error"
  | "busy"
  | "no_list"
  | "no_model"
  | "earlier_step";

const dnsCodes = /^(ENOTFOUND|EAI_[A-Z]+|ENODATA|ESERVFAIL)$/;
const tlsCodes = /^(CERT_|ERR_TLS_|ERR_SSL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|EPROTO$|UND_ERR_PRX_TLS$)/;

const byKind: Readonly<Record<FailureKind, TestReason>> = {
  client: "rejected",
  unknown_model: "model_not_found",
  operator: "wrong_key",
  quota: "quota",
  spend_cap: "quota",
  capacity: "rate_limited",
  transient: "provider_error",
  timeout: "timeout",
  unreachable: "connection",
  busy: "busy",
  cancelled: "timeout",
};

/** Why a call failed, as an operator needs it to repair the provider's settings. */
export function reasonOf({ kind, status, cause }: UpstreamFailure): TestReason {
  const { code = "" } = (cause ?? {}) as NodeJS.ErrnoException;
  if (status === 0 && dnsCodes.test(code)) return "dns";
  if (status === 0 && tlsCodes.test(code)) return "tls";
  // Nothing was sent, or the provider redirects elsewhere: its base URL is another.
  if (kind === "operator" && status < 400) return "address_refused";
  return byKind[kind];
}
