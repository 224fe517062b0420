import type { Operation } from "@uag/pipeline/operation/operation";

/** The header in which Google's SDKs name themselves and their version. */
const clientHeader = "x-goog-api-client";

/** An operation at whose path Google's SDKs expect another, which they get. */
export function orForGoogle(operation: Operation, google: Operation): Operation {
  return {
    ...operation,
    handler: (exchange) => (exchange.header(clientHeader) === undefined ? operation : google).handler(exchange),
  };
}
