import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { ErrorCode } from "@uag/contract/errors/table";
import type { Admitted } from "@uag/usage/types";
import type { CapabilityContext } from "../context.ts";
import type { AnyBody } from "./body-reader.ts";
import { type Candidate, largestHold, sizedFallbacks } from "./fallbacks.ts";
import type { OperationSpec, Size } from "./operation-spec.ts";
import type { CheckedRequest } from "./request-spec.ts";
import { traceOf } from "./trace.ts";

/** A granted hold, and the size it was granted for. */
export interface Grant<R, S extends Size> {
  readonly admitted: Admitted;
  readonly size: S;
  /** The models that may respond in place of the requested one, and whose cost the hold covers. */
  readonly fallbacks: readonly Candidate<R, S>[];
}

/**
 * Admits a request by the quick upper bound of its cost, whichever of its models serves it; if the
 * balance does not cover that, by the bound of the requested model, then by the tighter ones of
 * `resize`. Fallbacks that could cost more than the hold are left out.
 * @throws {GatewayError} `insufficient_balance` for the last size tried, and any other refusal of
 * admission
 */
export async function admit<B extends AnyBody, R, S extends Size, A>(
  context: Pick<CapabilityContext, "admission" | "tracing">,
  spec: OperationSpec<B, R, S, A>,
  checked: CheckedRequest<R>,
): Promise<Grant<R, S>> {
  const { exchange, caller, model, catalogVersion, request } = checked;
  const trace = traceOf(context, exchange.headers);
  const candidates = sizedFallbacks(spec, checked);
  const hold = async (size: S, holdNanoUsd = size.holdNanoUsd): Promise<Grant<R, S>> => {
    const admitted = await context.admission.admit({
      requestId: exchange.requestId,
      caller,
      operation: spec.name,
      model: model.id,
      priceVersion: model.price.version,
      catalogVersion,
      holdNanoUsd,
      tokens: size.tokens,
      stream: spec.streams?.(request) === true,
      ...trace,
    });
    return { admitted, size, fallbacks: candidates.filter((each) => each.size.holdNanoUsd <= holdNanoUsd) };
  };
  const size = spec.size(checked);
  const largest = largestHold(size, candidates);
  try {
    return await hold(size, largest).catch((refusal: unknown) => {
      if (largest === size.holdNanoUsd || !isOfHold(refusal)) throw refusal;
      return hold(size);
    });
  } catch (refusal) {
    if (spec.resize === undefined || !isShortage(refusal)) throw advised(refusal, spec.advice?.(checked));
    const sizes = spec.resize(checked, { size, availableNanoUsd: availableIn(refusal) });
    return await admitTighter(sizes, hold, refusal).catch((last: unknown) => {
      throw advised(last, spec.advice?.(checked));
    });
  }
}

/** Refusals of a hold, which a smaller request may avoid. */
const ofHolds: ReadonlySet<string> = new Set([
  "insufficient_balance",
  "budget_exceeded",
  "envelope_exhausted",
] satisfies ErrorCode[]);
/** Those that state what there is, which a tighter bound may fit. */
const shortages: ReadonlySet<string> = new Set(["insufficient_balance", "envelope_exhausted"] satisfies ErrorCode[]);

const isOfHold = (error: unknown): error is GatewayError => error instanceof GatewayError && ofHolds.has(error.code);

/** The refusal, with advice on how to make the hold smaller. */
function advised(refusal: unknown, advice: string | undefined): unknown {
  if (advice === undefined || !isOfHold(refusal)) return refusal;
  const { cause, retryAfterMs, retryable, headers } = refusal;
  return new GatewayError(refusal.code, `${refusal.message} ${advice}`, { cause, retryAfterMs, retryable, headers });
}

async function admitTighter<R, S extends Size>(
  sizes: AsyncIterable<S>,
  hold: (size: S) => Promise<Grant<R, S>>,
  first: GatewayError,
): Promise<Grant<R, S>> {
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
  return error instanceof GatewayError && shortages.has(error.code);
}

function availableIn({ cause }: GatewayError): bigint | undefined {
  const available = (cause as { availableNanoUsd?: unknown } | undefined)?.availableNanoUsd;
  return typeof available === "bigint" ? available : undefined;
}
