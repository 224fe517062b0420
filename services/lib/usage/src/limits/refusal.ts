import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { LimitName } from "@uag/contract/messages/billing";
import { goDuration } from "./go-duration.ts";

const codes = {
  requests: "rate_limit_exceeded",
  tokens: "token_limit_exceeded",
  concurrency: "concurrency_limit_exceeded",
} as const;

const phrases: Record<LimitName, (limit: number) => string> = {
  requests: (limit) => `${limit} requests a minute`,
  tokens: (limit) => `${limit} tokens a minute`,
  concurrency: (limit) => `${limit} requests at the same time`,
};

/** A limit that refuses a request. */
export interface ReachedLimit {
  readonly name: LimitName;
  readonly limit: number;
  /** Whose it is, within a sentence: this key, or a budget. */
  readonly scope: string;
}

/** A 429 that names the limit and whose it is, and says when to try again. */
export function overLimit(
  { name, limit, scope }: ReachedLimit,
  options: { readonly retryAfterMs: number; readonly headers?: readonly string[] },
): GatewayError {
  const retryAfterMs = Math.max(1, Math.ceil(options.retryAfterMs));
  const whose = `${scope.slice(0, 1).toUpperCase()}${scope.slice(1)}`;
  const text = `${whose} has reached its limit of ${phrases[name](limit)}. Try again in ${goDuration(retryAfterMs)}.`;
  return new GatewayError(codes[name], text, { retryAfterMs, headers: options.headers });
}

/** A request that counts for more tokens than a minute allows: waiting does not help. */
export function largerThanLimit(
  tokens: number,
  { limit, scope }: ReachedLimit,
  headers: readonly string[],
): GatewayError {
  const text = `This request counts as ${tokens} tokens, and ${scope} may use ${limit} tokens a minute. Shorten the prompt or lower the output cap.`;
  return new GatewayError(codes.tokens, text, { retryable: false, headers });
}
