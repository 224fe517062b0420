import type { CallToolResult } from "@modelcontextprotocol/server";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { ApiError } from "../gateway/api-error.ts";

/** An error that the model can fix by another tool call. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** Hints for errors, by the gateway's code or, failing that, the status. */
const hints: Readonly<Record<string, string>> = {
  model_not_found: "Call list_models to see the models that this key may use.",
  endpoint_model_mismatch: "Call list_models and choose a model whose operations include this tool's.",
  insufficient_balance: "The account must be topped up; retrying does not help.",
  budget_exceeded: "The key's budget for the month is used up; its owner can raise it.",
  envelope_exhausted: "The key's envelope is used up: ask for less, or for another envelope.",
  400: "Correct the argument that the message names.",
  401: "The API key is no longer valid.",
  404: "Check the id.",
  413: "Send less.",
  429: "Wait, then retry.",
  502: "The model's provider failed. Retry, or choose another model.",
  503: "Wait briefly, then retry.",
  504: "The model's provider timed out. Retry, or choose another model.",
};

/** A failed call as shown to the model: the gateway's code and text, a hint, and when to retry. */
export function toolError(error: unknown): CallToolResult {
  if (error instanceof ToolError) return failed(error.message);
  const terms = termsOf(error);
  if (terms === undefined) return failed("service_unavailable: The gateway does not respond. Retry shortly.");
  const { status, code, message, retryAfterSeconds, requestId } = terms;
  const wait = retryAfterSeconds === undefined ? "" : ` Retry after ${retryAfterSeconds} s.`;
  const what = hints[code] ?? hints[String(status)] ?? "";
  return {
    ...failed(`${code}: ${message} ${what}${wait}`.trim()),
    _meta: { "gateway/error": { status, code, retry_after: retryAfterSeconds ?? null, request_id: requestId ?? null } },
  };
}

type Terms = Pick<ApiError, "status" | "code" | "message" | "retryAfterSeconds" | "requestId">;

/** The terms of an error of the public API, or of one of our own. */
function termsOf(error: unknown): Terms | undefined {
  if (error instanceof ApiError) return error;
  if (!(error instanceof GatewayError)) return undefined;
  const { httpStatus: status, code, message, retryAfterMs } = error;
  const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000);
  return { status, code, message, retryAfterSeconds, requestId: undefined };
}

function failed(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
