import { status as grpc } from "@grpc/grpc-js";

/** What each code means at every edge. The table is closed: a new failure gets a new row here. */
interface ErrorRow {
  /** HTTP status at the public door. */
  readonly http: number;
  /** gRPC status between our processes. */
  readonly grpc: grpc;
  /** `error.type` of the OpenAI error body (see OpenAI's guide on error codes). */
  readonly type: string;
  /** True when the same request may succeed later without being changed. */
  readonly retryable: boolean;
  /** What the user reads when the thrower has nothing more exact to say. */
  readonly text: string;
}

const row = (http: number, code: grpc, type: string, retryable: boolean, text: string): ErrorRow => ({
  http,
  grpc: code,
  type,
  retryable,
  text,
});

export const errorTable = {
  invalid_request: row(
    400,
    grpc.INVALID_ARGUMENT,
    "invalid_request_error",
    false,
    "The request has a field that is not valid.",
  ),
  model_not_found: row(
    400,
    grpc.INVALID_ARGUMENT,
    "invalid_request_error",
    false,
    "There is no model of that name. GET /v1/models lists the models this key can use.",
  ),
  endpoint_model_mismatch: row(
    400,
    grpc.INVALID_ARGUMENT,
    "invalid_request_error",
    false,
    "This model is not served on this path.",
  ),
  invalid_api_key: row(
    401,
    grpc.UNAUTHENTICATED,
    "invalid_request_error",
    false,
    "The API key is not valid. Send it as: Authorization: Bearer <API_KEY>.",
  ),
  insufficient_balance: row(
    402,
    grpc.RESOURCE_EXHAUSTED,
    "insufficient_balance",
    false,
    "The account's balance does not cover this request.",
  ),
  unpaid_usage: row(
    402,
    grpc.RESOURCE_EXHAUSTED,
    "insufficient_balance",
    false,
    "Earlier requests of this account cost more than its money covered. Top it up: that is repaid first.",
  ),
  permission_denied: row(403, grpc.PERMISSION_DENIED, "permission_error", false, "This key may not do that."),
  not_found: row(404, grpc.NOT_FOUND, "invalid_request_error", false, "There is nothing at that path."),
  method_not_allowed: row(
    405,
    grpc.UNIMPLEMENTED,
    "invalid_request_error",
    false,
    "That method is not allowed on this path.",
  ),
  request_timeout: row(
    408,
    grpc.DEADLINE_EXCEEDED,
    "invalid_request_error",
    true,
    "The request body did not arrive in time.",
  ),
  already_exists: row(409, grpc.ALREADY_EXISTS, "conflict_error", false, "It exists already."),
  idempotency_in_progress: row(
    409,
    grpc.ABORTED,
    "conflict_error",
    true,
    "A request with this Idempotency-Key is still running.",
  ),
  idempotency_result_lost: row(
    409,
    grpc.FAILED_PRECONDITION,
    "conflict_error",
    false,
    "The request with this Idempotency-Key was run and billed, but its answer was lost. Send another key to run it again.",
  ),
  payload_too_large: row(
    413,
    grpc.OUT_OF_RANGE,
    "invalid_request_error",
    false,
    "The request body is larger than is allowed.",
  ),
  unsupported_media_type: row(
    415,
    grpc.INVALID_ARGUMENT,
    "invalid_request_error",
    false,
    "The content type or content encoding is not supported on this path.",
  ),
  invalid_json: row(
    422,
    grpc.INVALID_ARGUMENT,
    "invalid_request_error",
    false,
    "The request body is not valid JSON in UTF-8.",
  ),
  idempotency_key_reuse: row(
    422,
    grpc.FAILED_PRECONDITION,
    "invalid_request_error",
    false,
    "This Idempotency-Key was used with another request body.",
  ),
  rate_limit_exceeded: row(
    429,
    grpc.RESOURCE_EXHAUSTED,
    "rate_limit_error",
    true,
    "This key has reached its limit of requests per minute.",
  ),
  token_limit_exceeded: row(
    429,
    grpc.RESOURCE_EXHAUSTED,
    "rate_limit_error",
    true,
    "This key has reached its limit of tokens per minute.",
  ),
  concurrency_limit_exceeded: row(
    429,
    grpc.RESOURCE_EXHAUSTED,
    "rate_limit_error",
    true,
    "This key has reached its limit of concurrent requests.",
  ),
  too_many_open_requests: row(
    429,
    grpc.RESOURCE_EXHAUSTED,
    "rate_limit_error",
    true,
    "This key has too many requests open at once.",
  ),
  budget_exceeded: row(
    429,
    grpc.RESOURCE_EXHAUSTED,
    "insufficient_quota",
    false,
    "This key has spent its budget for the month.",
  ),
  upstream_rate_limited: row(
    429,
    grpc.RESOURCE_EXHAUSTED,
    "upstream_error",
    true,
    "The model's provider is limiting requests at the moment.",
  ),
  headers_too_large: row(
    431,
    grpc.OUT_OF_RANGE,
    "invalid_request_error",
    false,
    "The request's headers are larger than is allowed.",
  ),
  client_closed_request: row(499, grpc.CANCELLED, "api_error", false, "The client went away."),
  internal_error: row(500, grpc.INTERNAL, "api_error", true, "Something went wrong on our side."),
  upstream_error: row(
    502,
    grpc.UNAVAILABLE,
    "upstream_error",
    true,
    "The model's provider did not answer as it should.",
  ),
  service_unavailable: row(
    503,
    grpc.UNAVAILABLE,
    "api_error",
    true,
    "The service cannot take the request at the moment. Try again shortly.",
  ),
  unpriced_model: row(
    503,
    grpc.FAILED_PRECONDITION,
    "api_error",
    false,
    "The model has no price for this request, so it is not served. The operator has been told.",
  ),
  upstream_unavailable: row(
    503,
    grpc.UNAVAILABLE,
    "upstream_error",
    true,
    "The model's provider cannot be reached at the moment.",
  ),
  upstream_timeout: row(
    504,
    grpc.DEADLINE_EXCEEDED,
    "upstream_error",
    true,
    "The model's provider did not answer in time.",
  ),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

export interface GatewayErrorOptions {
  /** Path of the request field at fault, e.g. `messages[0].role`. */
  param?: string | undefined;
  /** How long the caller should wait before it tries again, milliseconds. */
  retryAfterMs?: number | undefined;
  /** Set where this one failure differs from its code: a limit that waiting does not help against. */
  retryable?: boolean;
  /** What the answer's head says besides, name and value by turns. Only within a process. */
  headers?: readonly string[] | undefined;
  /** Operator detail; never shown to a user. */
  cause?: unknown;
}

/** The one error class: a code of {@link errorTable}, a text for the user, and a cause for the operator. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly headers: readonly string[] | undefined;
  readonly #retryable: boolean | undefined;

  constructor(code: ErrorCode, text?: string, options: GatewayErrorOptions = {}) {
    super(text ?? errorTable[code].text, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "GatewayError";
    this.code = code;
    this.param = options.param;
    this.retryAfterMs = options.retryAfterMs;
    this.headers = options.headers;
    this.#retryable = options.retryable;
  }

  get httpStatus(): number {
    return errorTable[this.code].http;
  }

  get type(): string {
    return errorTable[this.code].type;
  }

  get retryable(): boolean {
    return this.#retryable ?? errorTable[this.code].retryable;
  }
}

/** Turns anything thrown into a {@link GatewayError}; what is not one already becomes `internal_error` with it as the cause. */
export function toGatewayError(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError("internal_error", undefined, { cause: error });
}

/** The OpenAI error body: `{error: {message, type, code, param}}`. */
export function nestedErrorBody(error: GatewayError): {
  error: { message: string; type: string; code: string; param: string | null };
} {
  return { error: { message: error.message, type: error.type, code: error.code, param: error.param ?? null } };
}
