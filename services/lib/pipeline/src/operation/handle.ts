import { nextTurn } from "@uag/runtime/next-turn";
import type { BufferBudget } from "@uag/untrusted/buffer-budget";
import { callerOf } from "../caller.ts";
import { clientErrorOf, type ErrorFormat } from "../client-error.ts";
import type { CapabilityContext } from "../context.ts";
import { warningHeaders } from "../request/warnings.ts";
import { respondError } from "../respond-error.ts";
import type { AnyBody } from "./body-reader.ts";
import { checkRequest } from "./check-request.ts";
import type { Operation } from "./operation.ts";
import { type CheckedRequest, formatFor, type IncomingRequest, type RequestSpec } from "./request-spec.ts";

/** The dependencies of handling any request. */
export type HandlingContext = Pick<CapabilityContext, "catalog" | "events"> & { readonly buffers: BufferBudget };

/** Longer bodies are checked and sized in one turn of the event loop each. */
const longBytes = 256 * 1024;

/**
 * Defines an operation whose requests have a body: reads and checks each, then serves it. Anything
 * thrown becomes an error in the client's format; memory held for the request is released at its
 * end.
 */
export function checkedOperation<B extends AnyBody, R>(
  context: HandlingContext,
  spec: RequestSpec<B, R>,
  serve: (checked: CheckedRequest<R>) => Promise<void>,
): Operation {
  return {
    async handler(exchange) {
      const caller = callerOf(exchange.context);
      using lease = context.buffers.open(caller.accountId);
      let warnings: readonly string[] = [];
      let errorFormat = formatFor(spec, undefined, caller);
      let model: string | undefined;
      try {
        const body = await spec.body.read(exchange, lease);
        errorFormat = formatFor(spec, body, caller);
        const fields = spec.fieldsOf?.(body);
        if (fields !== undefined) warnings = warningHeaders(fields);
        const incoming: IncomingRequest = { exchange, caller, lease, warnings };
        const catalog = context.catalog.current;
        const checked = checkRequest(spec, { body, catalog, errorFormat }, incoming);
        model = checked.model.id;
        if (lease.held > longBytes) await nextTurn();
        await serve(checked);
      } catch (thrown) {
        respondThrown(context, thrown, { exchange, errorFormat, warnings, model });
      }
    },
    errorFormat: async (bytes, caller) => formatFor(spec, await parsed(spec, bytes), caller),
  };
}

/**
 * Responds with whatever was thrown before a request was admitted, if the client is still
 * connected.
 */
export function respondThrown(
  { events }: Pick<CapabilityContext, "events">,
  thrown: unknown,
  {
    exchange,
    errorFormat,
    warnings,
    model,
  }: Pick<IncomingRequest, "exchange" | "warnings"> & {
    readonly errorFormat: ErrorFormat;
    readonly model?: string | undefined;
  },
): void {
  const clientError = clientErrorOf(thrown, exchange.requestId);
  events.notAdmitted(clientError, { exchange, model });
  respondError(exchange, clientError, { events, format: errorFormat, headers: warnings });
}

async function parsed<B extends AnyBody, R>(
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
