import { type ErrorCode, errorTable } from "./table.ts";

/** What a {@link GatewayError} says beside its code and text. */
export interface GatewayErrorOptions {
  /** Path of the request field at fault, e.g. `messages[0].role`. */
  param?: string | undefined;
  /** How long the caller should wait before it tries again, milliseconds. */
  retryAfterMs?: number | undefined;
  /**
   * Set where this one failure differs from its code: a limit that waiting does not help against.
   */
  retryable?: boolean;
  /** More headers of the answer, name and value by turns. Only within a process. */
  headers?: readonly string[] | undefined;
  /** Operator detail; never shown to a user. */
  cause?: unknown;
}

/**
 * The one error class: a code of {@link errorTable}, a text for the user, and a cause for the
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
 * Turns anything thrown into a {@link GatewayError}; what is not one already becomes
 * `internal_error` with it as the cause.
 */
export function toGatewayError(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError("internal_error", undefined, { cause: error });
}
