import { type ErrorCode, errorTable } from "./table.ts";

/** Optional details of a {@link GatewayError}. */
export interface GatewayErrorOptions {
  /** Path of the invalid request field, e.g. `messages[0].role`. */
  param?: string | undefined;
  /** How long the caller should wait before it retries, milliseconds. */
  retryAfterMs?: number | undefined;
  /**
   * Set where this failure differs from its code's default: a limit that waiting does not help
   * against.
   */
  retryable?: boolean;
  /** Additional response headers, alternating name and value. Only within a process. */
  headers?: readonly string[] | undefined;
  /** Operator detail; never shown to a user. */
  cause?: unknown;
}

/**
 * The only error class: a code of {@link errorTable}, a text for the user, and a cause for the
 * operator.
 */
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
    return this.#retryable ?? errorTable[this.code].retryable === true;
  }
}

/**
 * Converts anything thrown to a {@link GatewayError}; any other value becomes the cause of an
 * `internal_error`.
 */
export function toGatewayError(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError("internal_error", undefined, { cause: error });
}
