import { GatewayError } from "@uag/contract/errors/gateway-error";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { AttemptsFailed } from "@uag/providers/attempt";
import type { AttemptResult, Bill, Charge } from "../bill.ts";
import { clientErrorOf } from "../client-error.ts";
import type { CapabilityContext } from "../context.ts";
import { respondError } from "../respond-error.ts";
import type { AnyBody } from "./body-reader.ts";
import { usageHeaders } from "./headers.ts";
import type { AdmittedRequest, OperationSpec, Size } from "./operation-spec.ts";
import { PartialFailure } from "./partial-failure.ts";

/**
 * Ends a request without a response: it is billed nothing, or what upstreams charge anyway; the
 * client gets the error once the bill is on disk.
 * @throws {GatewayError} `service_unavailable` when the bill cannot be written
 */
export async function giveUp<B extends AnyBody, R, S extends Size, A>(
  { events }: Pick<CapabilityContext, "events">,
  spec: OperationSpec<B, R, S, A>,
  { admitted, bill, thrown }: { admitted: AdmittedRequest<R, S>; bill: Bill; thrown: unknown },
): Promise<void> {
  const { exchange, errorFormat } = admitted;
  const partial = thrown instanceof PartialFailure ? thrown : undefined;
  const cause = partial === undefined ? thrown : partial.cause;
  const clientError = clientErrorOf(cause, exchange.requestId);
  const failed = cause instanceof AttemptsFailed ? cause : undefined;
  const attempts = partial?.attempts ?? failed?.attempts ?? 0;
  const upstream = partial?.upstream ?? failed?.upstream;
  try {
    const owed = partial?.owed ?? (await owedFor(spec, admitted, failed));
    const reached = owed !== undefined || (failed !== undefined && failed.failure.status !== 0);
    const result: AttemptResult = {
      upstream: partial?.upstream ?? (reached ? failed?.upstream : undefined),
      attempts,
      status: exchange.over ? 499 : clientError.error.httpStatus,
      errorCode: exchange.over ? "client_closed_request" : clientError.error.code,
    };
    if (owed === undefined) await bill.fail(result);
    else await bill.charge(owed, result);
  } catch (error) {
    throw new GatewayError("service_unavailable", undefined, { cause: error });
  }
  respondError(exchange, clientError, {
    events,
    format: errorFormat,
    headers: usageHeaders(admitted, { upstream, attempts, reasons: bill.reasonsFor(upstream) }),
  });
}

/**
 * What upstreams charge for a failed request: the usage that was reported with the failure, else an
 * estimate of a call that was aborted, or whose response could not be used. Nothing otherwise.
 */
async function owedFor<B extends AnyBody, R, S extends Size, A>(
  spec: OperationSpec<B, R, S, A>,
  admitted: AdmittedRequest<R, S>,
  failed: AttemptsFailed | undefined,
): Promise<Charge | undefined> {
  if (failed === undefined) return undefined;
  const { usage, received, workedMs } = failed.failure;
  const outcome = admitted.exchange.over ? Outcome.DISCONNECTED : Outcome.FAILED;
  if (usage !== undefined) return { ...usage, outcome };
  if (received === undefined && workedMs === undefined) return undefined;
  const estimate = await spec.owed?.(admitted, failed);
  return estimate && { ...estimate, outcome };
}
