import type { Estimate } from "@uag/contract/responses/estimate";
import { usdText } from "@uag/runtime/usd";
import type { AnyBody } from "./body-reader.ts";
import { largestHold, sizedFallbacks } from "./fallbacks.ts";
import { checkedOperation, type HandlingContext } from "./handle.ts";
import { respondJson } from "./json-reply.ts";
import type { OperationHandler } from "./operation-exchange.ts";
import type { OperationSpec, Size } from "./operation-spec.ts";
import type { CheckedRequest, RequestSpec } from "./request-spec.ts";

/** The parts of an operation that bound the cost of its requests. */
export type SizingSpec<B extends AnyBody, R, S extends Size> = RequestSpec<B, R> &
  Pick<OperationSpec<B, R, S, unknown>, "size" | "resize">;

/**
 * Responds to a request of an operation with an upper bound of its cost. It passes the same checks
 * as one that runs; nothing is called, held or billed.
 */
export function estimateHandler<B extends AnyBody, R, S extends Size>(
  context: HandlingContext,
  spec: SizingSpec<B, R, S>,
): OperationHandler {
  const { handler } = checkedOperation(context, spec, async (checked) => {
    const { exchange, model, warnings } = checked;
    const quick = spec.size(checked);
    const fallbacks = sizedFallbacks(spec, checked);
    const hold = largestHold(quick, fallbacks);
    let tightest = await tightestHold(spec, checked, quick);
    for (const { size, ...fallback } of fallbacks) {
      const other = await tightestHold(spec, { ...checked, ...fallback }, size);
      if (other > tightest) tightest = other;
    }
    const body: Estimate = {
      object: "estimate",
      operation: spec.name,
      model: model.id,
      price_version: model.price.version,
      max_cost_usd: usdText(tightest),
      max_cost_nano_usd: Number(tightest),
      hold_usd: usdText(hold),
      hold_nano_usd: Number(hold),
      tokens: quick.tokens,
    };
    respondJson(exchange, { body, headers: warnings });
  });
  return handler;
}

/** The hold of the tightest size, nano-USD, where no balance limits what the request may use. */
async function tightestHold<B extends AnyBody, R, S extends Size>(
  { resize }: SizingSpec<B, R, S>,
  checked: CheckedRequest<R>,
  quick: S,
): Promise<bigint> {
  let least = quick.holdNanoUsd;
  for await (const { holdNanoUsd } of resize?.(checked, { size: quick, availableNanoUsd: undefined }) ?? [])
    if (holdNanoUsd < least) least = holdNanoUsd;
  return least;
}
