import { z } from "zod";
import type { GatewayError } from "./gateway-error.ts";

/** OpenAI's error body: used wherever the other two are not. */
export const nestedError = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    code: z.string().describe("An error code of the gateway or of the provider."),
    param: z.string().nullable().describe("The invalid field."),
  }),
});

/** Anthropic's error body, on `/v1/messages`: https://docs.anthropic.com/en/api/errors */
export const nativeError = z.object({
  type: z.literal("error"),
  error: z.object({ type: z.string(), message: z.string() }),
  request_id: z.string(),
});

/** DashScope's error body, of the alpha image models. */
export const flatError = z.object({ code: z.string(), message: z.string(), request_id: z.string() });

/** Google's error body, on the paths of the Gemini API: https://google.aip.dev/193 */
export const googleError = z.object({
  error: z.object({
    code: z.int().describe("The HTTP status."),
    message: z.string(),
    status: z.string(),
    details: z
      .array(z.looseObject({ "@type": z.string() }))
      .describe("An `ErrorInfo` whose `reason` is the error code, and a `RetryInfo` where a retry may succeed."),
  }),
});

/** A client's error format: OpenAI's, Anthropic's, DashScope's, or Google's. */
export type ErrorShape = "nested" | "native" | "flat" | "google";

/** A provider's report on a request it refused, with its own wording and codes. */
interface ProviderWords {
  readonly message: string;
  readonly type?: string | undefined;
  readonly code?: string | undefined;
  readonly param?: string | undefined;
}

/** An error as reported to a client. */
export interface ErrorReport {
  readonly error: GatewayError;
  readonly requestId: string;
  /** Set only when the request is at fault and the client may see the provider's report. */
  readonly reported?: ProviderWords | undefined;
}

type Body<D extends ErrorShape> = z.infer<
  { nested: typeof nestedError; native: typeof nativeError; flat: typeof flatError; google: typeof googleError }[D]
>;

const bodies: { readonly [D in ErrorShape]: (report: ErrorReport) => Body<D> } = {
  nested({ error, reported }) {
    const { message, type = error.type, code = error.code, param = error.param ?? null } = reported ?? error;
    return { error: { message, type, code, param } };
  },
  native({ error, requestId }) {
    return { type: "error", error: { type: nativeType(error), message: error.message }, request_id: requestId };
  },
  // As at the provider itself, each of our own 400s is an `InvalidParameter` and each 429 a
  // `Throttling.RateQuota`.
  flat({ error, requestId, reported }) {
    const code = providerCode(reported?.code) ?? flatCodes[error.httpStatus] ?? error.code;
    return { code, message: reported?.message ?? error.message, request_id: requestId };
  },
  google({ error, requestId, reported }) {
    const { httpStatus: code } = error;
    const { message, code: reason = error.code } = reported ?? error;
    const info = { reason: reason.toUpperCase(), domain: "gateway", metadata: { request_id: requestId } };
    const details = [{ "@type": `${rpc}ErrorInfo`, ...info }, ...retryInfo(error)];
    return { error: { code, message, status: googleStatus(error), details } };
  },
};

/** The error as an object in one of the three shapes. */
export function errorBody<D extends ErrorShape>(errorShape: D, report: ErrorReport): Body<D> {
  return bodies[errorShape](report);
}

/** The error as JSON text in one of the three shapes. */
export function errorText(errorShape: ErrorShape, report: ErrorReport): string {
  return JSON.stringify(errorBody(errorShape, report));
}

/** The error as the last event of a stream whose head has already been sent. */
export function errorEvent(errorShape: ErrorShape, report: ErrorReport): string {
  // Anthropic's clients drop events without an event line; OpenAI's read only the data.
  const prefix = errorShape === "native" ? "event: error\n" : "";
  return `${prefix}data: ${errorText(errorShape, report)}\n\n`;
}

const nativeTypes: Readonly<Record<number, string>> = {
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

/** Anthropic's `error.type` by status: https://docs.anthropic.com/en/api/errors */
function nativeType(error: GatewayError): string {
  if (error.code === "model_not_found") return "not_found_error";
  return nativeTypes[error.httpStatus] ?? "invalid_request_error";
}

const rpc = "type.googleapis.com/google.rpc.";

/** When a client may retry, as Google reports it. */
function retryInfo({ retryAfterMs }: GatewayError) {
  return retryAfterMs === undefined ? [] : [{ "@type": `${rpc}RetryInfo`, retryDelay: `${retryAfterMs / 1_000}s` }];
}

const googleStatuses: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  402: "FAILED_PRECONDITION",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** Google's `error.status` by HTTP status: https://google.aip.dev/193 */
function googleStatus(error: GatewayError): string {
  if (error.code === "model_not_found") return "NOT_FOUND";
  return googleStatuses[error.httpStatus] ?? "INVALID_ARGUMENT";
}

const flatCodes: Readonly<Record<number, string>> = { 400: "InvalidParameter", 429: "Throttling.RateQuota" };

/** DashScope's codes are capitalized; our own codes for an invalid field are not, and are kept. */
function providerCode(code: string | undefined): string | undefined {
  return code !== undefined && /^[A-Z]/.test(code) ? code : undefined;
}
