/** Anthropic's `error.type` by status: https://docs.anthropic.com/en/api/errors */
const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "overloaded_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** What Anthropic's clients know a status as. */
export function nativeErrorType(status: number): string {
  return types[status] ?? "invalid_request_error";
}
