import { mayUseModel } from "@uag/catalog/names";
import type { Catalog, Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { modelOperationOf } from "@uag/contract/routes";
import type { AnyBody } from "./body-reader.ts";
import type { OperationSpec, Size } from "./operation-spec.ts";
import type { CheckedRequest, Fallback, IncomingRequest, RequestSpec } from "./request-spec.ts";

/** Whether the model itself serves a request; the simulator never responds in its place. */
const isReal = ({ upstreams }: Model): boolean => upstreams.some(({ provider }) => !provider.simulated);

/** What a request is checked against. */
interface Checking<B> {
  readonly body: B;
  readonly catalog: Catalog;
  /** The model that the request names. */
  readonly model: Model;
}

/**
 * The models that may respond in place of the one that a request names, each with the request as
 * read for it, best first: the model's fallbacks in the catalogue that are served, that the caller
 * may use, and that can express the request. Fallbacks of fallbacks are not used.
 */
export function fallbacksFor<B extends AnyBody, R>(
  spec: RequestSpec<B, R>,
  { body, catalog, model }: Checking<B>,
  incoming: IncomingRequest,
): readonly Fallback<R>[] {
  if (spec.fits === undefined || model.fallbacks === undefined || model.fallbacks.length === 0) return none;
  return model.fallbacks.flatMap((id): Fallback<R>[] => {
    const other = catalog.models.get(id);
    if (other === undefined || !mayUseModel(incoming.caller, other)) return [];
    if (!other.operations.has(modelOperationOf(spec.name)) || (isReal(model) && !isReal(other))) return [];
    const request = readFor(spec, { body, model: other }, incoming);
    return request === undefined ? [] : [{ model: other, request }];
  });
}

const none: readonly never[] = [];

/** The request as read for another model; undefined when that model cannot serve it. */
function readFor<B extends AnyBody, R>(
  spec: RequestSpec<B, R>,
  { body, model }: { body: B; model: Model },
  incoming: IncomingRequest,
): R | undefined {
  try {
    const request = spec.read(body, model, incoming);
    return spec.fits?.(request, model) === true ? request : undefined;
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** A model that may serve a request, and the request's size for it. */
export interface Candidate<R, S extends Size> extends Fallback<R> {
  readonly size: S;
}

/** The fallbacks with their sizes, without those that have no price for the request. */
export function sizedFallbacks<R, S extends Size>(
  { size }: Pick<OperationSpec<never, R, S, never>, "size">,
  checked: CheckedRequest<R>,
): readonly Candidate<R, S>[] {
  if (checked.fallbacks.length === 0) return none;
  return checked.fallbacks.flatMap((fallback): Candidate<R, S>[] => {
    try {
      return [{ ...fallback, size: size({ ...checked, ...fallback, fallbacks: none }) }];
    } catch (error) {
      if (error instanceof GatewayError && error.code === "unpriced_model") return [];
      throw error;
    }
  });
}

/** The largest hold of a request, whichever model serves it; nano-USD. */
export function largestHold(own: Size, fallbacks: readonly Candidate<unknown, Size>[]): bigint {
  let largest = own.holdNanoUsd;
  for (const { size } of fallbacks) if (size.holdNanoUsd > largest) largest = size.holdNanoUsd;
  return largest;
}
