const maxTextLength = 2_000;

/** A refusal of the public API, of whichever of its shapes. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly retryAfterSeconds: number | undefined;
  /** The gateway's id of the request that was refused. */
  readonly requestId: string | undefined;

  constructor(status: number, headers: Headers, text: string) {
    const { message, code, type } = fieldsOf(text);
    super(message ?? `The gateway answered ${status}.`);
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

/** `{error: {...}}`, and flat as alpha's images have it. */
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
    // No JSON: a proxy's page, say. The status tells what there is to tell.
    return {};
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function textIn(fields: Record<string, unknown>, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value.slice(0, maxTextLength) : undefined;
}
