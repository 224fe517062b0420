import type { Catalog, Model } from "@uag/catalog/types";
import type { OperationBilled } from "@uag/contract/routes";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import type { ErrorFormat } from "../client-error.ts";
import { nestedErrors } from "../nested-error.ts";
import type { KnownFields } from "../request/warnings.ts";
import type { AnyBody, BodyReader } from "./body-reader.ts";
import type { OperationExchange } from "./operation-exchange.ts";

/** A request whose body has been read and that is being checked. */
export interface IncomingRequest {
  readonly exchange: OperationExchange;
  readonly caller: Caller;
  /** Accounts for memory held for the request. */
  readonly lease: BufferLease;
  /** The header that lists its unknown fields, if any; alternating name and value. */
  readonly warnings: readonly string[];
}

/** How an operation reads and checks a request that has a body and names a model. */
export interface RequestSpec<B extends AnyBody, R> {
  /** The operation's name, e.g. `chat.completions`. */
  readonly name: OperationBilled<"metered" | "free">;
  readonly body: BodyReader<B>;
  /**
   * The id of the model that a body names.
   * @throws {GatewayError} `invalid_request` when it names none
   */
  modelOf(body: B): string;
  /** A body's fields, of which unknown ones are reported to the client; default: none are. */
  fieldsOf?(body: B): KnownFields;
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
   * Whether another model than the one that the request names can serve it: whether it has the
   * capabilities that the request needs. Default: a model's fallbacks are not used.
   */
  fits?(request: R, model: Model): boolean;
  /**
   * How errors are rendered; default: OpenAI's nested form. May depend on the body once that can be
   * read.
   */
  readonly errorFormat?: ErrorFormat | ((body: B, caller: Caller) => ErrorFormat);
}

/** A model that may respond in place of the requested one, and the request as read for it. */
export interface Fallback<R> {
  readonly model: Model;
  readonly request: R;
}

/** A request that has passed all checks. */
export interface CheckedRequest<R> extends IncomingRequest {
  readonly model: Model;
  /** Digest of the catalogue that the model is from. */
  readonly catalogVersion: string;
  readonly request: R;
  /** Models that may respond in place of `model`, best first. */
  readonly fallbacks: readonly Fallback<R>[];
  readonly errorFormat: ErrorFormat;
}

/** The error format of a request; `body` is undefined while it is not, or could not be, read. */
export function formatFor<B extends AnyBody, R>(
  spec: RequestSpec<B, R>,
  body: B | undefined,
  caller: Caller,
): ErrorFormat {
  const { errorFormat = nestedErrors } = spec;
  if (typeof errorFormat !== "function") return errorFormat;
  return body === undefined ? nestedErrors : errorFormat(body, caller);
}
