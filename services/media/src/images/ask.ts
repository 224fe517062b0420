import { type Attempted, AttemptsFailed, attempt } from "@uag/upstreams/attempt.ts";
import { UpstreamFailure } from "@uag/upstreams/failure.ts";
import type { MakeImagesOptions } from "@uag/upstreams/images/make.ts";
import type { ImageCall } from "@uag/upstreams/images/types.ts";
import { imageAdapter } from "@uag/upstreams/registry.ts";
import type { Serving } from "./serve.ts";

/** Calls of one order that are under way at once. */
const mostAtOnce = 4;

/** Asks the model's upstreams, one after the other, by `make`. @throws {AttemptsFailed} */
export function askUpstreams<T>(
  { exchange, context, order, admitted }: Serving,
  count: number,
  make: (options: MakeImagesOptions) => Promise<T>,
): Promise<Attempted<T>> {
  const { pools, health, budget, events } = context;
  const { model } = order;
  const disconnect = { drains: context.drains, draining: () => admitted.clientLeft() };
  const { requestId, signal } = exchange;
  const call: ImageCall = { requestId, model, request: { ...order.request, count } };
  return attempt({
    upstreams: model.upstreams,
    health,
    budget,
    signal,
    call: (upstream) => {
      const adapter = imageAdapter(upstream.provider.protocol);
      if (adapter === undefined) throw new UpstreamFailure("operator", `no adapter for ${upstream.provider.protocol}`);
      return make({ pools, adapter, call, upstream, signal, disconnect });
    },
    onFailure: (upstream, failure) => events.upstreamFailed(requestId, upstream, failure),
  });
}

/** How many pictures each call is for: as many as one call makes, and the rest. */
export function callSizes(count: number, mostPerCall: number): number[] {
  const full = Math.floor(count / mostPerCall);
  const rest = count % mostPerCall;
  return [...Array.from({ length: full }, () => mostPerCall), ...(rest > 0 ? [rest] : [])];
}

/** Results in order, some at once; a failed one as its error. Anything but failed attempts is thrown when all are done. */
export async function eachOf<T>(
  sizes: readonly number[],
  ask: (size: number) => Promise<Attempted<T>>,
): Promise<(Attempted<T> | AttemptsFailed)[]> {
  const results: (Attempted<T> | AttemptsFailed)[] = [];
  const faults: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < sizes.length) {
      const at = next++;
      try {
        results[at] = await ask(sizes[at] as number);
      } catch (error) {
        if (error instanceof AttemptsFailed) results[at] = error;
        else faults.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, sizes.length) }, work));
  if (faults.length > 0) throw faults[0];
  return results;
}
