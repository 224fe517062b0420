import { PartialFailure } from "@uag/pipeline/operation/partial-failure";
import type { UnaryReply } from "@uag/pipeline/operation/reply";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { type Attempted, AttemptsFailed } from "@uag/providers/attempt";
import { makeImages } from "@uag/providers/images/make";
import type { ImageResponse } from "@uag/providers/images/types";
import type { MediaContext } from "../context.ts";
import { type AdmittedJob, callSizes, callUpstreams, eachOf } from "./call.ts";
import { delivered } from "./delivery.ts";
import type { ImageJob, ImageResult } from "./job.ts";
import { abandonedUnits, type Counted, countOf, hasBoundedInput, merged, unitsOfFailure } from "./pricing.ts";
import { inRequestedSize } from "./resample.ts";

type ImageList = Attempted<ImageResponse>;
type Results = readonly (ImageList | AttemptsFailed)[];

/** All of a job's images, or those that succeeded. */
export interface MadeImages {
  readonly kind: "unary";
  readonly result: ImageResult;
  readonly counted: Counted;
  readonly upstream: ImageList["upstream"] | undefined;
  readonly attempts: number;
}

/**
 * Generates a job's images in as many calls as needed.
 * @throws {PartialFailure} when none succeeded, or they cannot be delivered; with what upstreams
 * charge anyway
 */
export async function makeAll(context: MediaContext, admitted: AdmittedJob, job: ImageJob): Promise<MadeImages> {
  const { exchange } = admitted;
  const sizes = callSizes(job.request.count, job.adapter.maxPerCall);
  const results = await eachOf(sizes, (count) => callUpstreams(context, admitted, { job, count, make: makeImages }));
  const attempts = results.reduce((sum, result) => sum + result.attempts, 0);
  const responses = results.filter((result): result is ImageList => !(result instanceof AttemptsFailed));
  try {
    const failed = results.find((result) => result instanceof AttemptsFailed);
    if (responses.length === 0 && failed !== undefined) throw failed;
    const result = await gathered(context, admitted, { job, responses });
    const counted = await usedBy(job, { results, sizes });
    return { kind: "unary", result, counted, upstream: responses[0]?.upstream, attempts };
  } catch (thrown) {
    const outcome = exchange.over ? Outcome.DISCONNECTED : Outcome.FAILED;
    const used = await usedBy(job, { results, sizes });
    const owed = used.units.length === 0 ? undefined : { ...used, outcome };
    throw new PartialFailure(thrown, { owed, upstream: owed && (responses[0] ?? results[0])?.upstream, attempts });
  }
}

/** Returns the images in the client's format, billed by the upstreams' usage. */
export async function jsonResponse({ result, counted, upstream, attempts }: MadeImages): Promise<UnaryReply> {
  const { upstreamSize, job } = result;
  const size = upstreamSize === undefined ? [] : ["x-gateway-upstream-size", upstreamSize];
  return {
    kind: "unary",
    upstream,
    attempts,
    charge: counted,
    headers: ["content-type", "application/json", ...size],
    body: await job.format.body(result),
  };
}

/**
 * What upstreams charge for the calls of a job, however each ended: the generated images, the usage
 * reported with a failure, and an estimate for calls that were aborted or returned an unusable
 * response.
 */
async function usedBy(
  job: ImageJob,
  { results, sizes }: { results: Results; sizes: readonly number[] },
): Promise<Counted> {
  const responses = results.flatMap((result) => (result instanceof AttemptsFailed ? [] : [result.value]));
  const counted = await countOf(job, responses);
  const units = responses.length > 0 ? [...counted.units] : [];
  let { estimated, raw } = counted;
  for (const [at, result] of results.entries()) {
    if (!(result instanceof AttemptsFailed)) continue;
    const { usage, received, workedMs } = result.failure;
    if (usage !== undefined) {
      units.push(...unitsOfFailure(job, usage, sizes[at] as number));
      raw ??= usage.raw;
    } else if (received !== undefined || workedMs !== undefined) {
      estimated = true;
      units.push(...(await abandonedUnits(job, sizes[at] as number)));
    }
  }
  return { units: merged(units), raw, estimated, isUpperBound: estimated && hasBoundedInput(job) };
}

/** Collects the images of all responses in the requested delivery. */
async function gathered(
  context: MediaContext,
  { exchange, memory }: AdmittedJob,
  { job, responses }: { job: ImageJob; responses: readonly ImageList[] },
): Promise<ImageResult> {
  const values = responses.map(({ value }) => value);
  const [only] = values;
  const all = values.length === 1 && only !== undefined ? only.images : values.flatMap(({ images }) => images);
  const delivery = { exchange, context, memory };
  const sized = await inRequestedSize(all, { job, responses: values }, delivery);
  const images = await delivered(sized.images, job.request.delivery, delivery);
  const { upstreamSize } = sized;
  return { requestId: exchange.requestId, job, images, upstreamSize, responses: values, createdMs: Date.now() };
}
