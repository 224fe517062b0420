import type { Catalog, Model } from "@uag/catalog/types";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import type { ErrorFormat } from "../client-error.ts";
import { nestedErrors } from "../nested-error.ts";
import { findModel } from "../request/find-model.ts";
import type { BodyReader } from "./body-reader.ts";
import type { OperationExchange } from "./operation-exchange.ts";

/** A request whose body has been read and that is being checked. */
export interface IncomingRequest {
  readonly exchange: OperationExchange;
  readonly caller: Caller;
  /** Accounts for memory held for the request. */
  readonly lease: BufferLease;
}

/** How an operation reads and checks a request that has a body and names a model. */
export interface RequestSpec<B, R> {
  /**
   * The operation's name in the catalogue, in limits and in usage events, e.g. `chat.completions`.
   */
  readonly name: string;
  readonly body: BodyReader<B>;
  /**
   * The id of the model that a body names.
   * @throws {GatewayError} `invalid_request` when it names none
   */
  modelOf(body: B): string;
  /**
   * Finds the model, if the key may use it; default: `findModel`. @throws {GatewayError} like that
   */
  findModel?(catalog: Catalog, id: string, caller: Caller): Model;
  /**
   * Checks the body against the contract. Called after the model is known, so that a request for a
   * model its key may not use reveals nothing else.
   * @throws {GatewayError} naming the invalid field
   */
  read(body: B, model: Model, incoming: IncomingRequest): R;
  /**
   * How errors are rendered; default: OpenAI's nested form. May depend on the body once that can be
   * read.
   */
  readonly errorFormat?: ErrorFormat | ((body: B, caller: Caller) => ErrorFormat);
}

/** A request that has passed all checks. */
export interface CheckedRequest<R> extends IncomingRequest {
  readonly model: Model;
  readonly request: R;
  readonly errorFormat: ErrorFormat;
}

/**
 * Checks a body: first its model and the key's permission, then its fields.
 * @throws {GatewayError} for the first fault
 */
export function checkRequest<B, R>(
  spec: RequestSpec<B, R>,
  { body, catalog, errorFormat }: { body: B; catalog: Catalog; errorFormat: ErrorFormat },
  incoming: IncomingRequest,
): CheckedRequest<R> {
  const { exchange, caller, lease } = incoming;
  const id = spec.modelOf(body);
  const model = spec.findModel?.(catalog, id, caller) ?? findModel(catalog, id, caller, spec.name);
  const request = spec.read(body, model, incoming);
  return { exchange, caller, lease, model, request, errorFormat };
}

/** The error format of a request; `body` is undefined while it is not, or could not be, read. */
export function formatFor<B, R>(spec: RequestSpec<B, R>, body: B | undefined, caller: Caller): ErrorFormat {
  const { errorFormat = nestedErrors } = spec;
  if (typeof errorFormat !== "function") return errorFormat;
  return body === undefined ? nestedErrors : errorFormat(body, caller);
}
