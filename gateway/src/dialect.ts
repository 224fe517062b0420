import { type GatewayError, nestedErrorBody } from "@uag/kit/errors.ts";
import { nativeErrorType } from "@uag/kit/native-error.ts";

/** Which error shape a route speaks: OpenAI's, Anthropic's, or the flat one of alpha image models. */
export type Dialect = "nested" | "native" | "flat";

function nativeErrorBody(error: GatewayError, requestId: string): object {
  const type = nativeErrorType(error.httpStatus);
  return { type: "error", error: { type, message: error.message }, request_id: requestId };
}

/** The error as JSON text in the route's dialect. */
export function errorBody(dialect: Dialect, error: GatewayError, requestId: string): string {
  switch (dialect) {
    case "nested":
      return JSON.stringify(nestedErrorBody(error));
    case "native":
      return JSON.stringify(nativeErrorBody(error, requestId));
    case "flat":
      return JSON.stringify({ code: error.code, message: error.message, request_id: requestId });
  }
}

/** The error as the last event of a stream whose head has left already. */
export function errorEvent(dialect: Dialect, error: GatewayError, requestId: string): string {
  // Anthropic's clients drop events that have no event line; OpenAI's read data alone.
  const prefix = dialect === "native" ? "event: error\n" : "";
  return `${prefix}data: ${errorBody(dialect, error, requestId)}\n\n`;
}

/** The dialect of a path that no route has. */
export function dialectOfPath(path: string): Dialect {
  return path.startsWith("/v1/messages") ? "native" : "nested";
}
