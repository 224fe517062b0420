import type { Upstream } from "@uag/catalog/types";
import { retryAfterMs } from "@uag/untrusted/http/retry-after";
import { type FailureKind, UpstreamFailure, type UpstreamMessage } from "../failure.ts";
import type { BadResponse } from "../generation.ts";
import { redact } from "../redact.ts";
import type { OpenAiVariant } from "./variant.ts";

/**
 * Classifies a bad status and its body. A body that is not JSON (a proxy's HTML page) carries no
 * information.
 */
export function openAiFailure(response: BadResponse, upstream: Upstream, variant: OpenAiVariant): UpstreamFailure {
  const reported = messageIn(parsed(response.body), upstream);
  const { status } = response;
  return new UpstreamFailure(kindOf(status, reported, variant), `${upstream.provider.name} returned ${status}`, {
    status,
    reported,
    retryAfterMs: retryAfterMs(response.header, Date.now()),
  });
}

/**
 * Detects an error body under a good status, or in the middle of a stream; undefined when it
 * contains no error.
 */
export function errorInside(value: unknown, upstream: Upstream, variant: OpenAiVariant): UpstreamFailure | undefined {
  if (!isObject(value) || !value["error"]) return undefined;
  const reported = messageIn(value, upstream);
  return new UpstreamFailure(
    kindWithoutStatus(reported, variant),
    `${upstream.provider.name} sent an error under status 200`,
    {
      status: 200,
      reported,
    },
  );
}

function kindOf(status: number, reported: UpstreamMessage | undefined, variant: OpenAiVariant): FailureKind {
  if (status < 400) return status < 300 ? "transient" : "operator";
  if (reports(reported, variant.operatorCodes) && status < 500 && status !== 429) return "operator";
  if (status === 401 || status === 403) return "operator";
  if (status === 402) return "quota";
  if (status === 404) return "unknown_model";
  if (status === 429) return reports(reported, variant.quotaCodes) || freeQuotaIsGone(reported) ? "quota" : "capacity";
  if (status === 408 || status === 409 || status >= 500) return "transient";
  return "client";
}

function kindWithoutStatus(reported: UpstreamMessage | undefined, variant: OpenAiVariant): FailureKind {
  const { code = "", type = "" } = reported ?? {};
  // OpenRouter: the HTTP status of the provider behind it.
  if (/^[45]\d\d$/.test(code)) return kindOf(Number(code), reported, variant);
  if (reports(reported, variant.operatorCodes)) return "operator";
  if (reports(reported, rateCodes)) return "capacity";
  const client = /^invalid|unsupported|data_?inspection|content_(?:policy|filter)|context_length/i;
  return client.test(type) || client.test(code) ? "client" : "transient";
}

const rateCodes = new Set([
  "rate_limit_exceeded",
  "limit_requests",
  "limit_burst_rate",
  "Throttling",
  "Throttling.RateQuota",
]);

function reports(reported: UpstreamMessage | undefined, codes: ReadonlySet<string>): boolean {
  return reported !== undefined && (codes.has(reported.code ?? "") || codes.has(reported.type ?? ""));
}

function freeQuotaIsGone(reported: UpstreamMessage | undefined): boolean {
  return reported !== undefined && /free (allocated )?quota/i.test(reported.message);
}

/**
 * `{error: {...}}`, `{error: "text", code}` (xAI), `{code, message}` (DashScope), or a list with
 * one of them.
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
  const message = text("message") ?? invalidFieldIn(body, upstream);
  if (message === undefined) return undefined;
  const details = detailsIn(inner);
  const whole = details === undefined ? message : `${message} ${redact(details, upstream.provider)}`;
  return { message: whole, type: text("type"), code: text("code"), param: text("param") };
}

/**
 * The first field that is not valid, as servers made with FastAPI name it, in `detail` or in Mistral's `message`
 * (https://docs.mistral.ai/api, "Validation Error").
 */
function invalidFieldIn({ message, detail }: Record<string, unknown>, { provider }: Upstream): string | undefined {
  const details = Array.isArray(detail) ? detail : isObject(message) ? message["detail"] : undefined;
  const first: unknown = Array.isArray(details) ? details[0] : undefined;
  if (!isObject(first) || typeof first["msg"] !== "string") return undefined;
  const path = Array.isArray(first["loc"]) ? first["loc"].filter((part) => part !== "body").join(".") : "";
  return redact(path === "" ? first["msg"] : `${path}: ${first["msg"]}`, provider);
}

/** Longer details are cut. */
const maxDetails = 4_000;

/**
 * What the message refers to: Groq's `failed_generation`, the call that the model got wrong
 * (https://console.groq.com/docs/errors), and the error of the provider behind OpenRouter
 * (https://openrouter.ai/docs/api-reference/errors).
 */
function detailsIn({ failed_generation: failed, metadata }: Record<string, unknown>): string | undefined {
  const raw = isObject(metadata) ? metadata["raw"] : undefined;
  const found = [failed, raw].find((value) => typeof value === "string" && value !== "") as string | undefined;
  return found?.slice(0, maxDetails);
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
