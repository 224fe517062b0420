import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Admitted } from "@uag/usage/types";
import type { CapabilityContext } from "../context.ts";
import type { OperationSpec, Size } from "./operation-spec.ts";
import type { CheckedRequest } from "./request-spec.ts";
import { traceOf } from "./trace.ts";

/** A granted hold, and the size it was granted for. */
export interface Grant<S extends Size> {
  readonly admitted: Admitted;
  readonly size: S;
}

/**
 * Admits a request by the quick upper bound of its cost; if the balance does not cover that, by the
 * tighter bounds of `resize`.
 * @throws {GatewayError} `insufficient_balance` for the last size tried, and any other refusal of
 * admission
 */
export async function admit<B, R, S extends Size, A>(
  context: Pick<CapabilityContext, "admission" | "tracing">,
  spec: OperationSpec<B, R, S, A>,
  checked: CheckedRequest<R>,
): Promise<Grant<S>> {
  const { exchange, caller, model, request } = checked;
  const trace = traceOf(context, exchange.headers);
  const hold = async (size: S): Promise<Grant<S>> => {
    const admitted = await context.admission.admit({
      requestId: exchange.requestId,
      caller,
      operation: spec.name,
      model: model.id,
      priceVersion: model.price.version,
      holdNanoUsd: size.holdNanoUsd,
      tokens: size.tokens,
      stream: spec.streams?.(request) === true,
      ...trace,
    });
    return { admitted, size };
  };
  const size = spec.size(checked);
  try {
    return await hold(size);
  } catch (refusal) {
    if (spec.resize === undefined || !isShortage(refusal)) throw refusal;
    return await admitTighter(spec.resize(checked, { size, availableNanoUsd: availableIn(refusal) }), hold, refusal);
  }
}

async function admitTighter<S extends Size>(
  sizes: AsyncIterable<S>,
  hold: (size: S) => Promise<Grant<S>>,
  first: GatewayError,
): Promise<Grant<S>> {
  let refusal = first;
  for await (const size of sizes) {
    try {
      return await hold(size);
    } catch (error) {
      if (!isShortage(error)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

function isShortage(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === "insufficient_balance";
}

function availableIn({ cause }: GatewayError): bigint | undefined {
  const available = (cause as { availableNanoUsd?: unknown } | undefined)?.availableNanoUsd;
  return typeof available === "bigint" ? available : undefined;
}
