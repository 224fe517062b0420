import { clientErrorOf, respondError } from "@uag/capability/client-error.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { AttemptsFailed } from "@uag/upstreams/attempt.ts";
import { abandonedUnits } from "./money.ts";
import type { Serving } from "./serve.ts";

/** No answer: the bill is nothing, or what was being drawn when the client left; the client is told why once that is on disk. */
export async function giveUp(serving: Serving, thrown: unknown, attemptsMade: number): Promise<void> {
  const { exchange, context, order, admitted, bill } = serving;
  const clientError = clientErrorOf(thrown, exchange.requestId);
  const tried = thrown instanceof AttemptsFailed ? thrown : undefined;
  const upstream = tried !== undefined && tried.failure.status !== 0 ? tried.upstream : undefined;
  const attempts = Math.max(attemptsMade, tried?.attempts ?? 0);
  const status = exchange.over ? 499 : clientError.error.httpStatus;
  try {
    if (tried?.failure.workedMs === undefined) await bill.fail({ upstream, attempts, status });
    else {
      const units = await abandonedUnits(serving, order.request.count);
      const charge = { outcome: Outcome.DISCONNECTED, units, estimated: true };
      await bill.charge(charge, { upstream: tried.upstream, attempts, status });
    }
  } catch (cause) {
    throw new GatewayError("service_unavailable", undefined, { cause });
  }
  const headers = ["x-gateway-attempts", String(attempts), ...admitted.headers];
  respondError(exchange, clientError, { events: context.events, format: order.format, headers });
}
