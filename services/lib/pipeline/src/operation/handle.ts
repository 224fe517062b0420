import type { BufferBudget } from "@uag/untrusted/buffer-budget";
import { callerOf } from "../caller.ts";
import { clientErrorOf, type ErrorFormat } from "../client-error.ts";
import type { CapabilityContext } from "../context.ts";
import { respondError } from "../respond-error.ts";
import type { Operation } from "./operation.ts";
import {
  type CheckedRequest,
  checkRequest,
  formatFor,
  type IncomingRequest,
  type RequestSpec,
} from "./request-spec.ts";

/** The dependencies of handling any request. */
export type HandlingContext = Pick<CapabilityContext, "catalog" | "events"> & { readonly buffers: BufferBudget };

/**
 * Defines an operation whose requests have a body: reads and checks each, then serves it. Anything
 * thrown becomes an error in the client's format; memory held for the request is released at its
 * end.
 */
export function checkedOperation<B, R>(
  context: HandlingContext,
  spec: RequestSpec<B, R>,
  serve: (checked: CheckedRequest<R>) => Promise<void>,
): Operation {
  return {
    async handler(exchange) {
      const caller = callerOf(exchange.context);
      using lease = context.buffers.open(caller.accountId);
      const incoming: IncomingRequest = { exchange, caller, lease };
      let errorFormat = formatFor(spec, undefined, caller);
      try {
        const body = await spec.body.read(exchange, lease);
        errorFormat = formatFor(spec, body, caller);
        const catalog = context.catalog.current;
        await serve(checkRequest(spec, { body, catalog, errorFormat }, incoming));
      } catch (thrown) {
        respondThrown(context, thrown, { exchange, errorFormat });
      }
    },
    errorFormat: async (bytes, caller) => formatFor(spec, await parsed(spec, bytes), caller),
  };
}

/** Responds with whatever was thrown, if the client is still connected. */
export function respondThrown(
  { events }: Pick<CapabilityContext, "events">,
  thrown: unknown,
  { exchange, errorFormat }: Pick<IncomingRequest, "exchange"> & { readonly errorFormat: ErrorFormat },
): void {
  respondError(exchange, clientErrorOf(thrown, exchange.requestId), { events, format: errorFormat, headers: [] });
}

async function parsed<B, R>(
  { body, errorFormat }: RequestSpec<B, R>,
  bytes: Buffer | undefined,
): Promise<B | undefined> {
  if (bytes === undefined || typeof errorFormat !== "function") return undefined;
  try {
    return await body.parse?.(bytes);
  } catch {
    // An unreadable body gets the default error format.
    return undefined;
  }
}
