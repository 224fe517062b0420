const maxTextLength = 2_000;

/** An error of the public API, in any of its shapes. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly retryAfterSeconds: number | undefined;
  /** The gateway's id of the failed request. */
  readonly requestId: string | undefined;

  constructor(status: number, headers: Headers, text: string, options?: ErrorOptions) {
    const { message, code, type } = fieldsOf(text);
    super(message ?? `The gateway returned ${status}.`, options);
    this.name = "ApiError";
    this.status = status;
    this.code = code ?? `http_${status}`;
    this.type = type ?? "api_error";
    const retryAfter = Number(headers.get("retry-after") ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
    this.requestId = headers.get("x-request-id") ?? undefined;
  }
}

interface ErrorFields {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly type?: string | undefined;
}

/** `{error: {...}}`, or flat for the alpha image models. */
function fieldsOf(text: string): ErrorFields {
  const body = parsed(text);
  const fields = isObject(body["error"]) ? body["error"] : body;
  return { message: textIn(fields, "message"), code: textIn(fields, "code"), type: textIn(fields, "type") };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : {};
  } catch {
    // Not JSON, such as a proxy's page: only the status is known.
    return {};
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function textIn(fields: Record<string, unknown>, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value.slice(0, maxTextLength) : undefined;
}
