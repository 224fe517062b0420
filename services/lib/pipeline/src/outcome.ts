import { endUserBudgetHeader } from "@uag/contract/end-users";
import { headerOf } from "@uag/runtime/http/header-of";
import { retryAfterMs } from "@uag/untrusted/http/retry-after";

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  /** Alternating name and value. */
  readonly headers: readonly string[];
}

/**
 * What follows from a response:
 * - `final`: it is the request's result
 * - `wait`: the same request may succeed later
 * - `stop`: no request of this key can succeed now: neither money nor permission is left
 */
export type Outcome =
  | { readonly kind: "final" }
  | { readonly kind: "wait"; readonly waitMs: number }
  | { readonly kind: "stop" };

const defaultWaitMs = 1_000;
const maxWaitMs = 60_000;
const firstBackoffMs = 500;
/** Repetitions of a request that failed in a way that may last. */
const maxTries = 3;

const ofRequestAlone = ["x-ratelimit-limit-tokens", endUserBudgetHeader];

/**
 * Decides by status and headers, since the body's format depends on the endpoint.
 * @param failures how often the request has failed with 500, 502 or 504 before
 */
export function outcomeOf({ status, headers }: ResponseHead, failures: number, now: number): Outcome {
  const header = (name: string): string | undefined => headerOf(headers, name);
  const mayRetry = header("x-should-retry") !== "false";
  const after = retryAfterMs(header, now);
  const wait = { kind: "wait", waitMs: Math.min(after ?? defaultWaitMs, maxWaitMs) } as const;
  if (status === 401 || status === 402) return { kind: "stop" };
  // The request alone exceeds a limit of tokens, or its end user's part is used up, whose headers it has; or a budget is.
  if (status === 429 && !mayRetry) return { kind: ofRequestAlone.some((name) => header(name)) ? "final" : "stop" };
  if (status === 429) return wait;
  if (status === 503) return wait;
  if (status === 409) return mayRetry ? wait : { kind: "final" };
  if ((status === 500 || status === 502 || status === 504) && failures < maxTries)
    return { kind: "wait", waitMs: firstBackoffMs * 2 ** failures };
  return { kind: "final" };
}
