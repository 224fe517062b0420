import type { Upstream } from "@uag/catalog/types.ts";
import { type FailureKind, UpstreamFailure, type UpstreamMessage } from "../failure.ts";
import type { BadResponse } from "../generation.ts";
import { redact } from "../redact.ts";
import { retryAfterMs } from "../retry-after.ts";
import type { OpenAiVariant } from "./variant.ts";

/**
 * What a bad status and its body mean. A body that is not JSON (a proxy's HTML page) says nothing.
 */
export function openAiFailure(answer: BadResponse, upstream: Upstream, variant: OpenAiVariant): UpstreamFailure {
  const said = messageIn(parsed(answer.body), upstream);
  const { status } = answer;
  return new UpstreamFailure(kindOf(status, said, variant), `${upstream.provider.name} answered ${status}`, {
    status,
    said,
    retryAfterMs: retryAfterMs(answer.header, Date.now()),
  });
}

/**
 * An error body under a good status, or in the middle of a stream; undefined when there is no error
 * in it.
 */
export function errorInside(value: unknown, upstream: Upstream, variant: OpenAiVariant): UpstreamFailure | undefined {
  if (!isObject(value) || !value["error"]) return undefined;
  const said = messageIn(value, upstream);
  return new UpstreamFailure(
    kindWithoutStatus(said, variant),
    `${upstream.provider.name} sent an error under status 200`,
    {
      status: 200,
      said,
    },
  );
}

function kindOf(status: number, said: UpstreamMessage | undefined, variant: OpenAiVariant): FailureKind {
  if (status < 400) return status < 300 ? "transient" : "operator";
  if (says(said, variant.operatorCodes) && status < 500 && status !== 429) return "operator";
  if (status === 401 || status === 403) return "operator";
  if (status === 402) return "quota";
  if (status === 404) return "unknown_model";
  if (status === 429) return says(said, variant.quotaCodes) || freeQuotaIsGone(said) ? "quota" : "capacity";
  if (status === 408 || status === 409 || status >= 500) return "transient";
  return "client";
}

function kindWithoutStatus(said: UpstreamMessage | undefined, variant: OpenAiVariant): FailureKind {
  if (says(said, variant.operatorCodes)) return "operator";
  if (says(said, rateCodes)) return "capacity";
  const { code = "", type = "" } = said ?? {};
  const client = /^invalid|unsupported|data_?inspection|content_policy|context_length/i;
  return client.test(type) || client.test(code) ? "client" : "transient";
}

const rateCodes = new Set([
  "rate_limit_exceeded",
  "limit_requests",
  "limit_burst_rate",
  "Throttling",
  "Throttling.RateQuota",
]);

function says(said: UpstreamMessage | undefined, codes: ReadonlySet<string>): boolean {
  return said !== undefined && (codes.has(said.code ?? "") || codes.has(said.type ?? ""));
}

function freeQuotaIsGone(said: UpstreamMessage | undefined): boolean {
  return said !== undefined && /free (allocated )?quota/i.test(said.message);
}

/**
 * `{error: {...}}`, `{error: "text", code}` (xAI), `{code, message}` (DashScope), or a list of one
 * of them.
 */
function messageIn(value: unknown, upstream: Upstream): UpstreamMessage | undefined {
  const body = Array.isArray(value) ? value[0] : value;
  if (!isObject(body)) return undefined;
  const { error } = body;
  const inner = isObject(error) ? error : { ...body, message: typeof error === "string" ? error : body["message"] };
  const text = (name: string): string | undefined => {
    const found = inner[name];
    if (typeof found === "number") return String(found);
    return typeof found === "string" && found !== "" ? redact(found, upstream.provider) : undefined;
  };
  const message = text("message");
  if (message === undefined) return undefined;
  return { message, type: text("type"), code: text("code"), param: text("param") };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
