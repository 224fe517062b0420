import { estimate } from "@uag/contract/responses/estimate";
import { estimateOf, routes } from "@uag/contract/routes";
import type { Operation } from "./operation.ts";
import { nameOf } from "./routes.ts";

export const tags = {
  Estimates:
    "The most that a request can cost, before it is sent: the same body as the request's, at its path under `/v1/estimate`.",
};

const estimateOperation = (
  name: string,
  { id, request = {}, native = false, examples = [] }: Operation,
): Operation => ({
  id: `estimate${id.charAt(0).toUpperCase()}${id.slice(1)}`,
  tag: "Estimates",
  summary: `Estimates the cost of a request to ${name}, without running it`,
  request,
  ok: { json: { Estimate: estimate } },
  native,
  errors: ["model_not_found", "endpoint_model_mismatch", "unpriced_model"],
  examples: examples.slice(0, 1),
});

const served: ReadonlySet<string> = new Set(routes.map(nameOf));

/** The operations that estimate the cost of others: of those that are metered. */
export const estimatesOf = (operations: Iterable<[string, Operation]>): [string, Operation][] =>
  [...operations]
    .filter(([name]) => served.has(estimateOf(name)))
    .map(([name, operation]) => [estimateOf(name), estimateOperation(name, operation)]);
