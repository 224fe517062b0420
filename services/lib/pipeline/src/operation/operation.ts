import { estimateOf, type OperationName, type ServiceName } from "@uag/contract/routes";
import type { LinkHandler } from "@uag/link/server";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { ErrorFormat } from "../client-error.ts";
import type { OperationHandler } from "./operation-exchange.ts";

/** One operation of the route table, ready to be served over the link. */
export interface Operation {
  readonly handler: OperationHandler;
  /** Its body is stored while it arrives and is never in memory, so that idempotency keys have no effect. */
  readonly storesBody?: boolean;
  /** Its response can be a stream; default: never. */
  readonly canStream?: boolean;
  /** Responds with an upper bound of a request's cost instead of running it; set where requests are billed. */
  readonly estimate?: OperationHandler;
  /**
   * The format of errors that arise before the handler runs, such as an idempotency key in use.
   * @param body the request's body; undefined when it could not be read
   */
  errorFormat(body: Buffer | undefined, caller: Caller): Promise<ErrorFormat>;
}

/** Operations by their names in the table of routes. */
export type Operations = Readonly<Record<string, Operation>>;

/** All operations that the table of routes gives a service, and no others. */
export type OperationsOf<S extends ServiceName> = Readonly<Record<OperationName<S>, Operation>>;

/** The handlers that estimate the cost of operations, by the names of their routes. */
export function estimatesOf(operations: Operations): Readonly<Record<string, LinkHandler>> {
  const found = Object.entries(operations).flatMap(([name, { estimate }]) =>
    estimate === undefined ? [] : [[estimateOf(name), estimate] as const],
  );
  return Object.fromEntries(found);
}

/** The bare link handlers, for a link server without idempotency keys. */
export function handlersOf(operations: Operations): Readonly<Record<string, LinkHandler>> {
  return Object.fromEntries(Object.entries(operations).map(([name, { handler }]) => [name, handler]));
}
