import type { Catalog } from "@uag/catalog/types";
import { modelOperationOf } from "@uag/contract/routes";
import type { ErrorFormat } from "../client-error.ts";
import { findModel } from "../request/find-model.ts";
import type { AnyBody } from "./body-reader.ts";
import { callerOfRequest } from "./end-user.ts";
import { fallbacksFor } from "./fallbacks.ts";
import type { CheckedRequest, IncomingRequest, RequestSpec } from "./request-spec.ts";

/**
 * Checks a body: first its model and the key's permission, then its fields.
 * @throws {GatewayError} for the first fault
 */
export function checkRequest<B extends AnyBody, R>(
  spec: RequestSpec<B, R>,
  { body, catalog, errorFormat }: { body: B; catalog: Catalog; errorFormat: ErrorFormat },
  incoming: IncomingRequest,
): CheckedRequest<R> {
  const { caller } = incoming;
  const id = spec.modelOf(body);
  const model = spec.findModel?.(catalog, id, caller) ?? findModel(catalog, id, caller, modelOperationOf(spec.name));
  const request = spec.read(body, model, incoming);
  const fallbacks = fallbacksFor(spec, { body, catalog, model }, incoming);
  return {
    ...incoming,
    caller: callerOfRequest(incoming, body),
    model,
    catalogVersion: catalog.version,
    request,
    fallbacks,
    errorFormat,
  };
}
