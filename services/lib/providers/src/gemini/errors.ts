import type { Upstream } from "@uag/catalog/types";
import { retryAfterMs } from "@uag/untrusted/http/retry-after";
import { countOf, type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../conversation/fields.ts";
import { type FailureKind, UpstreamFailure } from "../failure.ts";
import type { BadResponse } from "../generation.ts";
import { redact } from "../redact.ts";

/**
 * Classifies a bad status and its body. A body that is not JSON (a proxy's HTML page) carries no
 * information.
 */
export function geminiFailure(response: BadResponse, upstream: Upstream): UpstreamFailure {
  const error = errorIn(parsedJson(response.body.toString("utf8")));
  return failure(response.status, error, upstream, retryAfterMs(response.header, Date.now()));
}

/**
 * Detects an error body under a good status, or in a stream; undefined when it contains no error.
 */
export function geminiErrorInside(value: unknown, upstream: Upstream): UpstreamFailure | undefined {
  const error = errorIn(value);
  return error === undefined ? undefined : failure(countOf(error["code"]) ?? 500, error, upstream, undefined);
}

/** `{error: {...}}`, or a list of it: without `alt=sse` a stream is a list. */
function errorIn(value: unknown): Fields | undefined {
  const { error } = fieldsOf(Array.isArray(value) ? value[0] : value);
  return isFields(error) ? error : undefined;
}

function failure(
  status: number,
  error: Fields | undefined,
  upstream: Upstream,
  waitMs: number | undefined,
): UpstreamFailure {
  const message = textOf(error?.["message"]);
  const state = textOf(error?.["status"])?.toLowerCase();
  const code = state === undefined ? undefined : redact(state, upstream.provider);
  const reported =
    message === undefined
      ? undefined
      : { message: redact(message, upstream.provider), type: undefined, code, param: undefined };
  return new UpstreamFailure(kindOf(status, error), `${upstream.provider.name} returned ${status}`, {
    status,
    reported,
    retryAfterMs: waitMs ?? retryDelayMs(error),
  });
}

function kindOf(status: number, error: Fields | undefined): FailureKind {
  const state = error?.["status"];
  if (status === 400) return state === "FAILED_PRECONDITION" || keyIsBad(error) ? "operator" : "client";
  if (status === 401 || status === 403 || (status >= 300 && status < 400)) return "operator";
  if (status === 402) return "quota";
  if (status === 404) return "unknown_model";
  if (status === 429) return quotaIsGone(error) ? "quota" : "capacity";
  if (status === 408 || status === 409 || status === 499 || status >= 500) return "transient";
  return "client";
}

/** A bad key is reported as a bad request. */
function keyIsBad(error: Fields | undefined): boolean {
  const reasons = details(error).map((detail) => detail["reason"]);
  return reasons.includes("API_KEY_INVALID") || /api key (not valid|expired)/i.test(textOf(error?.["message"]) ?? "");
}

/** A daily limit does not reset soon. */
function quotaIsGone(error: Fields | undefined): boolean {
  return details(error)
    .flatMap((detail) => listOf(detail["violations"]))
    .some((violation) => /PerDay/.test(textOf(fieldsOf(violation)["quotaId"]) ?? ""));
}

/** `RetryInfo.retryDelay`, such as `22s` or `0.5s`: Gemini sends no header. */
function retryDelayMs(error: Fields | undefined): number | undefined {
  const text = details(error)
    .map((detail) => textOf(detail["retryDelay"]))
    .find((delay) => delay !== undefined);
  const seconds = text === undefined ? Number.NaN : Number(text.replace(/s$/, ""));
  return seconds >= 0 ? Math.min(Math.ceil(seconds * 1_000), 24 * 60 * 60 * 1_000) : undefined;
}

function details(error: Fields | undefined): Fields[] {
  return listOf(error?.["details"]).map(fieldsOf);
}
