/** The error of a call that failed, in the gateway's nested shape. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The field at fault. */
  readonly param: string | null;
  /** By which the operator finds the call in the logs. */
  readonly requestId: string | null;

  constructor(status: number, body: { message: string; code: string; param: string | null }, requestId: string | null) {
    super(body.message);
    this.name = "ApiError";
    this.status = status;
    this.code = body.code;
    this.param = body.param;
    this.requestId = requestId;
  }
}

interface ErrorBody {
  readonly error?: { readonly message?: unknown; readonly code?: unknown; readonly param?: unknown };
  readonly message?: unknown;
  readonly code?: unknown;
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/**
 * The error in a response, in any of the gateway's shapes; one without a body is named
 * by its status.
 */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const error = {
    message: text(body.error?.message) ?? text(body.message) ?? `HTTP ${response.status} ${response.statusText}`.trim(),
    code: text(body.error?.code) ?? text(body.code) ?? String(response.status),
    param: text(body.error?.param) ?? null,
  };
  return new ApiError(response.status, error, response.headers.get("x-request-id"));
}
