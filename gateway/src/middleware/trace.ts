import { parseTraceparent, traceparentOf } from "@uag/runtime/tracing/traceparent";
import type { Tracing } from "@uag/runtime/tracing/tracing";
import type { Handler, RequestState } from "../request-state.ts";

const firstServerError = 500;

/**
 * Traces each request, from its head to the end of its response, as a child of the client's
 * `traceparent` if there is one; the service behind receives the new span in the same header.
 * Follows OpenTelemetry's conventions for HTTP servers.
 */
export function traceRequests(tracing: Tracing): Handler {
  return (request, response, next) => {
    const { method } = request;
    const { requestId } = response.locals;
    const span = tracing.start(method, {
      kind: "SERVER",
      parent: parseTraceparent(request.get("traceparent")),
      attributes: { "http.request.method": method, "gateway.request_id": requestId },
    });
    response.locals.trace = span.spanContext();
    response.once("close", () => {
      const { route, key, failure } = response.locals;
      const { statusCode } = response;
      if (route !== undefined) span.updateName(`${method} ${route.path}`).setAttribute("http.route", route.path);
      if (key !== undefined) span.setAttribute("gateway.key_id", key.keyId);
      if (failure !== undefined) span.setAttribute("error.type", failure);
      // A client error is not a fault of the server.
      if (statusCode >= firstServerError) span.setStatus({ code: 2 });
      span.setAttribute("http.response.status_code", statusCode).end();
    });
    next();
  };
}

/** The headers of a request with its own span in place of the client's. */
export function withTrace(headers: string[], { trace }: Pick<RequestState, "trace">): string[] {
  if (trace === undefined) return headers;
  const others = headers.filter((_, at) => headers[at - (at % 2)] !== "traceparent");
  return [...others, "traceparent", traceparentOf(trace)];
}
