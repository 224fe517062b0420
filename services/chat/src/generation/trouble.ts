import { GatewayError, toGatewayError } from "@uag/kit/errors.ts";
import { LinkError } from "@uag/kit/link/errors.ts";
import type { LinkExchange } from "@uag/kit/link/server-exchange.ts";
import { AttemptsFailed } from "@uag/upstreams/attempt.ts";
import { failureToGatewayError, UpstreamFailure } from "@uag/upstreams/failure.ts";
import type { ChatEvents } from "../events.ts";
import type { ClientFormat, Trouble } from "../format.ts";

/** Anything thrown, as what the client is told. */
export function troubleOf(thrown: unknown, requestId: string): Trouble {
  const failure = thrown instanceof AttemptsFailed ? thrown.failure : thrown;
  if (failure instanceof UpstreamFailure) return { error: failureToGatewayError(failure), failure, requestId };
  if (thrown instanceof LinkError && thrown.code === "too_large") {
    return { error: new GatewayError("payload_too_large"), failure: undefined, requestId };
  }
  return { error: toGatewayError(thrown), failure: undefined, requestId };
}

/** Answers a request that came to nothing, if its client is still there. */
export function answerTrouble(
  exchange: LinkExchange,
  format: ClientFormat,
  trouble: Trouble,
  options: { events: ChatEvents; headers: readonly string[] },
): void {
  const { error } = trouble;
  if (error.code === "internal_error") options.events.failed(trouble.requestId, error.cause ?? error);
  if (exchange.over) return;
  const body = format.errorBody(trouble);
  const headers = ["content-type", "application/json", "content-length", String(body.length)];
  headers.push("x-should-retry", String(error.retryable), ...options.headers);
  const waitMs = error.retryAfterMs ?? (error.httpStatus === 503 ? 1_000 : undefined);
  if (waitMs !== undefined)
    headers.push("retry-after", String(Math.ceil(waitMs / 1_000)), "retry-after-ms", String(waitMs));
  exchange.respond(format.errorStatus?.(trouble) ?? error.httpStatus, headers, body);
}
