import { price } from "@uag/catalog/price";
import type { Upstream } from "@uag/catalog/types";
import type { AdmittedRequest } from "@uag/pipeline/operation/operation-spec";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { LiveStream } from "@uag/providers/live-stream";
import type { Progress } from "@uag/usage/types";
import type { GenerationRequest } from "../format.ts";
import { type GenerationSize, heldLimits } from "./admission-sizes.ts";
import { type Bounds, hiddenUnitsIn, unitsOf, withBounds, withOutput } from "./usage.ts";

const bytesPerToken = 4;

type Admitted = Pick<AdmittedRequest<GenerationRequest, GenerationSize>, "model" | "request" | "size">;

/**
 * Computes what a stream costs so far, should this process die: what is delivered is counted
 * roughly, since exact counting takes time; what it cannot contain is at its upper bound. What the
 * upstream generates after that is not delivered, and not billed. The cost is at most the hold.
 */
export function progressOf(admitted: Admitted, upstream: Upstream): (live: LiveStream) => Progress {
  let bounds: Bounds | undefined;
  return ({ stream: { delivered, soFar } }) => {
    bounds ??= boundsOf(admitted, upstream);
    const rough = roughUnits(admitted, bounds, delivered.roughTokens);
    const counted = soFar && progress(withOutput(soFar.units, delivered.roughTokens), bounds);
    const isCredible = counted !== undefined && counted.costNanoUsd <= admitted.size.holdNanoUsd;
    return isCredible ? counted : progress(rough, bounds);
  };
}

function boundsOf(admitted: Admitted, upstream: Upstream): Bounds {
  const { model, size } = admitted;
  return { limits: heldLimits(admitted, size), hidden: hiddenUnitsIn(admitted, upstream), model };
}

function progress(known: readonly Unit[], bounds: Bounds): Progress {
  const charge = withBounds(known, bounds);
  return { ...charge, costNanoUsd: price(charge.units, bounds.model.price).costNanoUsd };
}

function roughUnits({ model, request }: Admitted, { limits: { input, output } }: Bounds, outputTokens: number): Unit[] {
  const prompt = Math.min(Math.ceil(request.body.length / bytesPerToken), model.contextTokens);
  return unitsOf(Math.min(prompt, Number(input.quantity)), Math.min(outputTokens, Number(output.quantity)));
}
