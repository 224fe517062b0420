import type { Catalog, Model } from "@uag/catalog/types.ts";
import type { BufferLease } from "@uag/kit/buffer-budget.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { ErrorFormat } from "../client-error.ts";
import { nestedErrors } from "../nested-error.ts";
import { findModel } from "../request/find-model.ts";
import type { BodyReader } from "./body-reader.ts";

/** A request whose body is there, on its way through the checks. */
export interface IncomingRequest {
  readonly exchange: LinkExchange;
  readonly caller: Caller;
  /** Pays for the memory that is held for the request. */
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
   * The model of that id, if the key may use it; default: `findModel`. @throws {GatewayError} as
   * that does
   */
  findModel?(catalog: Catalog, id: string, caller: Caller): Model;
  /**
   * Checks the body against the contract. The model is known by then: nobody is told what is wrong
   * with a request for a model that their key may not use.
   * @throws {GatewayError} naming the field at fault
   */
  read(body: B, model: Model, incoming: IncomingRequest): R;
  /**
   * How clients are told of errors; default: OpenAI's nested form. It may depend on the body, once
   * that can be read.
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
 * Checks a body: first its model and the key's right to it, then its fields.
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

/**
 * The error format of a request whose body was read, or, while `body` is undefined, could not be.
 */
export function formatFor<B, R>(spec: RequestSpec<B, R>, body: B | undefined, caller: Caller): ErrorFormat {
  const { errorFormat = nestedErrors } = spec;
  if (typeof errorFormat !== "function") return errorFormat;
  return body === undefined ? nestedErrors : errorFormat(body, caller);
}
