import { price } from "@uag/catalog/price";
import type { UsageCharge } from "@uag/pipeline/bill";
import { typedErrorEvent } from "@uag/pipeline/nested-error";
import { eventStreamHeaders } from "@uag/pipeline/operation/headers";
import { relay } from "@uag/pipeline/operation/relay";
import type { StreamReply } from "@uag/pipeline/operation/reply";
import type { Attempted } from "@uag/providers/attempt";
import { type LiveImages, streamImages } from "@uag/providers/images/make";
import { tokensOfPartial } from "@uag/providers/images/stream";
import type { MediaContext } from "../context.ts";
import { type AdmittedJob, callUpstreams } from "./call.ts";
import type { ImageJob } from "./job.ts";
import { estimate, hasBoundedInput, merged, unitsSoFar } from "./pricing.ts";

/** Images that are streamed while they are generated. */
export interface StreamedImages {
  readonly kind: "stream";
  readonly job: ImageJob;
  readonly attempted: Attempted<LiveImages>;
}

/** Starts the stream; resolves with its first event. @throws {AttemptsFailed} */
export async function openStream(context: MediaContext, admitted: AdmittedJob, job: ImageJob): Promise<StreamedImages> {
  const { count } = job.request;
  return { kind: "stream", job, attempted: await callUpstreams(context, admitted, { job, count, make: streamImages }) };
}

/**
 * Streams the images while they are generated. The last complete image is sent after the bill is on
 * disk.
 */
export function streamResponse({ errorFormat }: AdmittedJob, { job, attempted }: StreamedImages): StreamReply {
  const { value, upstream, attempts } = attempted;
  const { live } = value;
  const progress = () => {
    const units = unitsSoFar(job, value.counts());
    const { costNanoUsd } = price(units, job.model.price);
    return { units, costNanoUsd, isUpperBound: hasBoundedInput(job) };
  };
  return {
    kind: "stream",
    upstream,
    attempts,
    headers: eventStreamHeaders,
    progress,
    async relay(exchange, checkpoints) {
      await relay(live, { exchange, checkpoints, cost: () => progress().costNanoUsd });
      const failure = live.failure && { thrown: live.failure };
      return { charge: await chargeFor(job, value), closing: () => live.stream.closing, failure };
    },
    errorEvent: (clientError) => typedErrorEvent(errorFormat, clientError),
  };
}

/**
 * Charges by the upstream's usage if it arrived. Otherwise by estimate: the complete and partial
 * images, and all that were requested if the stream was interrupted, since the upstream may have
 * completed them. An error of the upstream's own, and a stream that broke, are free before any image.
 */
async function chargeFor(job: ImageJob, { live, counts }: LiveImages): Promise<UsageCharge | undefined> {
  const { failure } = live;
  const { usage = failure?.usage } = live.stream;
  if (usage !== undefined) return { units: usage.units, raw: usage.raw };
  const { partials, completed } = counts();
  const isInterrupted = failure !== undefined && failure.reported === undefined;
  const mayHaveWorked = failure?.received !== undefined || failure?.workedMs !== undefined;
  if (completed === 0 && partials === 0 && !(isInterrupted && mayHaveWorked)) return undefined;
  const units = await estimate(job, isInterrupted ? job.request.count : completed);
  if (partials > 0) units.push({ name: "image_output_tokens", quantity: BigInt(partials * tokensOfPartial) });
  return { units: merged(units), estimated: true, isUpperBound: hasBoundedInput(job) };
}
