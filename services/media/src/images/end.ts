import { answerTrouble, troubleOf } from "@uag/capability/trouble.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import { AttemptsFailed } from "@uag/upstreams/attempt.ts";
import type { Serving } from "./serve.ts";

/** No answer: the bill is nothing, and the client is told why once that is on disk. */
export async function giveUp(serving: Serving, thrown: unknown, attemptsMade: number): Promise<void> {
  const { exchange, context, order, admitted, bill } = serving;
  const trouble = troubleOf(thrown, exchange.requestId);
  const tried = thrown instanceof AttemptsFailed ? thrown : undefined;
  const upstream = tried !== undefined && tried.failure.status !== 0 ? tried.upstream : undefined;
  const attempts = Math.max(attemptsMade, tried?.attempts ?? 0);
  const status = exchange.over ? 499 : trouble.error.httpStatus;
  try {
    await bill.fail({ upstream, attempts, status });
  } catch (cause) {
    throw new GatewayError("service_unavailable", undefined, { cause });
  }
  const headers = ["x-gateway-attempts", String(attempts), ...admitted.headers];
  answerTrouble(exchange, trouble, { events: context.events, format: order.format, headers });
}
