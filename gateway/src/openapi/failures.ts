import type { ErrorShape } from "@uag/contract/errors/shapes";
import { type ErrorCode, errorTable } from "@uag/contract/errors/table";
import type { AdminRoute, Route } from "@uag/contract/routes";
import { headersOf } from "./headers.ts";
import { type JsonSchema, schemaRef } from "./json-schema.ts";
import type { Operation } from "./operation.ts";
import { isBilled } from "./routes.ts";

const anywhere = [
  "invalid_request",
  "invalid_api_key",
  "account_disabled",
  "method_not_allowed",
  "rate_limit_exceeded",
  "headers_too_large",
  "internal_error",
  "service_unavailable",
] as const satisfies readonly ErrorCode[];

const withBody = [
  "request_timeout",
  "payload_too_large",
  "unsupported_media_type",
] as const satisfies readonly ErrorCode[];
const repeatable = [
  "idempotency_in_progress",
  "idempotency_key_reuse",
  "idempotency_result_lost",
] as const satisfies readonly ErrorCode[];
const ofFree = ["rate_limit_exceeded", "concurrency_limit_exceeded"] as const satisfies readonly ErrorCode[];
const ofModels = ["model_not_found", "endpoint_model_mismatch"] as const satisfies readonly ErrorCode[];
const ofProviders = [
  "upstream_rate_limited",
  "upstream_error",
  "upstream_unavailable",
  "spend_cap_reached",
  "upstream_timeout",
] as const satisfies readonly ErrorCode[];
const ofMoney = [
  "insufficient_balance",
  "unpaid_usage",
  "envelope_exhausted",
  "budget_exceeded",
  "token_limit_exceeded",
  "concurrency_limit_exceeded",
  "unpriced_model",
] as const satisfies readonly ErrorCode[];

/** Error codes that clients of the public API never see: the client of a 499 has disconnected. */
export const unseen: readonly ErrorCode[] = ["client_closed_request"];

/** The error codes that a route may return. */
export function codesOf(route: Route | AdminRoute, operation: Operation): readonly ErrorCode[] {
  const { callsProvider = isBilled(route), admin = false, spends = false, errors = [] } = operation;
  const billing = "billing" in route ? route.billing : undefined;
  const forwarded = "service" in route;
  return [
    ...anywhere,
    ...errors,
    ...(route.method === "POST" ? (["websocket_unsupported"] as const) : []),
    ...(route.body === "none" ? [] : withBody),
    ...(route.body === "json" ? (["invalid_json"] as const) : []),
    ...(route.body !== "none" && route.body !== "upload" && forwarded ? repeatable : []),
    ...(forwarded ? (["too_many_open_requests"] as const) : []),
    ...(route.path.includes(":") || !forwarded ? (["not_found"] as const) : []),
    ...(callsProvider ? [...ofModels, ...ofProviders] : []),
    ...(billing === "metered" ? ofMoney : []),
    ...(billing === "free" || billing === "none" ? ofFree : []),
    ...(spends ? (["insufficient_balance"] as const) : []),
    ...(admin && route.method === "POST" ? (["already_exists"] as const) : []),
    ...(admin ? (["permission_denied", "upstream_timeout"] as const) : []),
    ...(forwarded && !callsProvider ? (["upstream_timeout"] as const) : []),
  ];
}

const schemaNames: Readonly<Record<ErrorShape, string>> = {
  nested: "NestedError",
  native: "NativeError",
  flat: "FlatError",
  google: "GoogleError",
};

function errorContent(errorShapes: readonly ErrorShape[]): JsonSchema {
  const refs = errorShapes.map((shape) => schemaRef(schemaNames[shape]));
  return { "application/json": { schema: refs.length === 1 ? refs[0] : { anyOf: refs } } };
}

const slow = "The request did not arrive in time.";
const passedOn = "The provider's error, with its message and status.";

interface Failing {
  readonly errorShapes: readonly ErrorShape[];
  readonly native?: boolean;
  readonly billed?: boolean;
}

function failures(codes: readonly ErrorCode[], { errorShapes, native = false, billed = false }: Failing) {
  const texts = new Map<string, string[]>([["408", [slow]]]);
  for (const code of codes) {
    const status = String(errorTable[code].http);
    texts.set(status, [...(texts.get(status) ?? []), `\`${code}\`: ${errorTable[code].text}`]);
  }
  if (native) for (const range of ["4XX", "5XX"]) texts.set(range, [passedOn]);
  const responses: Record<string, JsonSchema> = {};
  for (const [status, lines] of [...texts].sort(([a], [b]) => a.localeCompare(b))) {
    // A malformed HTTP request has no path yet, so its error shape is unknown.
    const early = native && (status === "408" || status === "431" || status === "400");
    responses[status] = {
      description: lines.join("\n\n"),
      headers: headersOf({ native, billed, failed: true, status, located: false }),
      content: errorContent(early ? [...errorShapes, "nested"] : errorShapes),
    };
  }
  return responses;
}

/** A route's error responses by status. */
export function failuresOf(route: Route | AdminRoute, operation: Operation): Record<string, JsonSchema> {
  const { native = false, flatErrors = false } = operation;
  const errorShapes: ErrorShape[] = flatErrors ? [route.errorShape, "flat"] : [route.errorShape];
  return failures(codesOf(route, operation), { errorShapes, native, billed: isBilled(route) });
}

/** The error responses of a path without authentication, by status. */
export const failuresOfProbes = (): Record<string, JsonSchema> =>
  failures(["method_not_allowed", "headers_too_large"], { errorShapes: ["nested"] });
