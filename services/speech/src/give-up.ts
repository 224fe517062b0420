import type { Charge } from "@uag/capability/bill.ts";
import { clientErrorOf, respondError } from "@uag/capability/client-error.ts";
import { nestedErrors } from "@uag/capability/nested-error.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { AttemptsFailed } from "@uag/upstreams/attempt.ts";
import type { Serving } from "./speak.ts";

export interface GivenUp {
  readonly thrown: unknown;
  /** What the client left owing: text that an upstream had taken. */
  readonly owed: Charge | undefined;
  /** Tries made for pieces that did not fail. */
  readonly attempts: number;
}

/** No sound for the client: it is told why, once the bill of what it owes, mostly nothing, is on disk. */
export async function giveUp(serving: Serving, { thrown, owed, attempts }: GivenUp): Promise<void> {
  const { exchange, context, bill, admitted } = serving;
  const clientError = clientErrorOf(thrown, exchange.requestId);
  const tried = thrown instanceof AttemptsFailed ? thrown : undefined;
  const reached = owed !== undefined || (tried !== undefined && tried.failure.status !== 0);
  const answered = {
    upstream: reached ? tried?.upstream : undefined,
    attempts: attempts + (tried?.attempts ?? 0),
    status: exchange.over ? 499 : clientError.error.httpStatus,
  };
  try {
    if (owed === undefined) await bill.fail(answered);
    else await bill.charge(owed, answered);
  } catch (cause) {
    throw new GatewayError("service_unavailable", undefined, { cause });
  }
  const headers = ["x-gateway-attempts", String(answered.attempts), ...admitted.headers];
  respondError(exchange, clientError, { events: context.events, format: nestedErrors, headers });
}

/** True when the upstream had the text, and was given up because its client had left. */
export function wasTaken(thrown: unknown): boolean {
  return thrown instanceof AttemptsFailed && thrown.failure.workedMs !== undefined;
}
