import type { Upstream } from "@uag/catalog/types";
import { retryAfterMs } from "@uag/untrusted/http/retry-after";
import { type Fields, fieldsOf, isFields, parsedJson, textOf } from "../conversation/fields.ts";
import { type FailureKind, UpstreamFailure, type UpstreamMessage } from "../failure.ts";
import type { BadResponse } from "../generation.ts";
import { redact } from "../redact.ts";

/** https://docs.anthropic.com/en/api/errors */
const kindByType: Readonly<Record<string, FailureKind>> = {
  invalid_request_error: "client",
  request_too_large: "client",
  not_found_error: "unknown_model",
  authentication_error: "operator",
  permission_error: "operator",
  billing_error: "quota",
  rate_limit_error: "capacity",
  api_error: "transient",
  timeout_error: "transient",
  overloaded_error: "transient",
};

/**
 * Classifies a bad status and its body. A body that is not JSON (a proxy's HTML page) carries no
 * information.
 */
export function anthropicFailure(response: BadResponse, upstream: Upstream): UpstreamFailure {
  const { status } = response;
  const text = response.body.toString("utf8");
  const error = errorIn(parsedJson(text));
  return new UpstreamFailure(kindOf(status, error), `${upstream.provider.name} returned ${status}`, {
    status,
    ...reportOf(error, text, upstream),
    retryAfterMs: retryAfterMs(response.header, Date.now()),
  });
}

/**
 * Detects an error body under a good status, or an error event; undefined when it contains no
 * error.
 */
export function anthropicErrorInside(text: string, upstream: Upstream): UpstreamFailure | undefined {
  const error = errorIn(parsedJson(text));
  if (error === undefined) return undefined;
  const kind = kindByType[textOf(error["type"]) ?? ""] ?? "transient";
  return new UpstreamFailure(kind, `${upstream.provider.name} sent an error under status 200`, {
    status: 200,
    ...reportOf(error, text, upstream),
  });
}

function errorIn(value: unknown): Fields | undefined {
  const { type, error } = fieldsOf(value);
  return type === "error" && isFields(error) ? error : undefined;
}

function kindOf(status: number, error: Fields | undefined): FailureKind {
  const message = textOf(error?.["message"]) ?? "";
  if (/credit balance is too low/i.test(message)) return "quota";
  if (status === 401 || status === 403 || (status >= 300 && status < 400)) return "operator";
  if (status === 402) return "quota";
  if (status === 404) return "unknown_model";
  if (status === 429) return "capacity";
  if (status === 408 || status === 409 || status >= 500) return "transient";
  return "client";
}

function reportOf(
  error: Fields | undefined,
  text: string,
  upstream: Upstream,
): { reported: UpstreamMessage | undefined; body: Buffer | undefined } {
  const message = textOf(error?.["message"]);
  if (message === undefined) return { reported: undefined, body: undefined };
  const reported = {
    message: redact(message, upstream.provider),
    type: redacted(textOf(error?.["type"]), upstream),
    code: undefined,
    param: undefined,
  };
  // A truncated body is no longer valid JSON.
  const body = redact(text, upstream.provider);
  return { reported, body: parsedJson(body) === undefined ? undefined : Buffer.from(body) };
}

function redacted(text: string | undefined, upstream: Upstream): string | undefined {
  return text === undefined ? undefined : redact(text, upstream.provider);
}
