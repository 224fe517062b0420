import type { AdmittedRequest, Size } from "@uag/pipeline/operation/operation-spec";
import { type Attempted, AttemptsFailed } from "@uag/providers/attempt";
import { UpstreamFailure } from "@uag/providers/failure";
import type { MakeImagesOptions } from "@uag/providers/images/make";
import { adapterFor } from "@uag/providers/registry";
import type { MediaContext } from "../context.ts";
import type { ImageJob } from "./job.ts";

/** Concurrent calls of one job. */
const maxAtOnce = 4;

/** An admitted image request. */
export type AdmittedJob = AdmittedRequest<ImageJob, Size>;

export interface ImageCallOptions<T> {
  readonly job: ImageJob;
  /** Number of images to request in this call. */
  readonly count: number;
  make(options: MakeImagesOptions): Promise<T>;
}

/** Makes one call's images at one of the model's upstreams. @throws {AttemptsFailed} */
export function callUpstreams<T>(
  { pools, drains }: Pick<MediaContext, "drains" | "pools">,
  { exchange, admitted, attempt, memory }: AdmittedJob,
  { job, count, make }: ImageCallOptions<T>,
): Promise<Attempted<T>> {
  const { model } = job;
  const { requestId, signal } = exchange;
  const disconnect = { drains, draining: () => admitted.clientLeft() };
  const call = { requestId, model, request: { ...job.request, count } };
  return attempt((upstream) => {
    const adapter = adapterFor("images", upstream.provider.protocol);
    if (adapter === undefined) throw new UpstreamFailure("operator", `no adapter for ${upstream.provider.protocol}`);
    return make({ pools, adapter, call, upstream, signal, disconnect, memory });
  });
}

/** How many images to request in each call: as many as a call allows, then the rest. */
export function callSizes(count: number, maxPerCall: number): number[] {
  const full = Math.floor(count / maxPerCall);
  const rest = count % maxPerCall;
  return [...Array.from({ length: full }, () => maxPerCall), ...(rest > 0 ? [rest] : [])];
}

/**
 * Returns results in order, running some calls concurrently; failed attempts are returned as
 * errors. Anything else is thrown once all are done.
 */
export async function eachOf<T>(
  sizes: readonly number[],
  call: (size: number) => Promise<Attempted<T>>,
): Promise<(Attempted<T> | AttemptsFailed)[]> {
  const results: (Attempted<T> | AttemptsFailed)[] = [];
  const faults: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < sizes.length) {
      const at = next++;
      try {
        results[at] = await call(sizes[at] as number);
      } catch (error) {
        if (error instanceof AttemptsFailed) results[at] = error;
        else faults.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxAtOnce, sizes.length) }, work));
  if (faults.length > 0) throw faults[0];
  return results;
}
