import type { ClientError } from "@uag/capability/client-error.ts";
import { requestUuid } from "@uag/kit/ids.ts";

/**
 * DashScope's error body. Every 400 of our own is an `InvalidParameter`, every 429 a `Throttling.RateQuota`, as the
 * provider's own are; what the provider says of a request keeps its code.
 */
export function flatErrorBody({ error, failure, requestId }: ClientError): Buffer {
  const said = failure?.kind === "client" ? failure.said : undefined;
  const byStatus: Readonly<Record<number, string>> = { 400: "InvalidParameter", 429: "Throttling.RateQuota" };
  const code = providerCode(said?.code) ?? byStatus[error.httpStatus] ?? error.code;
  const message = said?.message ?? error.message;
  return Buffer.from(JSON.stringify({ code, message, request_id: requestUuid(requestId) }));
}

/** DashScope's codes are capitalised; our own for a field at fault are not, and stay ours. */
function providerCode(code: string | undefined): string | undefined {
  return code !== undefined && /^[A-Z]/.test(code) ? code : undefined;
}
