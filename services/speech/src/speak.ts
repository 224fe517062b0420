import type { Admitted } from "@uag/admission/types.ts";
import type { Bill } from "@uag/capability/bill.ts";
import type { Upstream } from "@uag/catalog/types.ts";
import type { LinkExchange } from "@uag/kit/link/server-exchange.ts";
import { type Attempted, attempt } from "@uag/upstreams/attempt.ts";
import { UpstreamFailure } from "@uag/upstreams/failure.ts";
import { speechAdapter } from "@uag/upstreams/speech/registry.ts";
import type { SpokenText } from "@uag/upstreams/speech/types.ts";
import type { SpeechContext } from "./operations.ts";
import type { SpeechRequest } from "./request/read.ts";

/** One admitted request. */
export interface Serving {
  readonly exchange: LinkExchange;
  readonly context: SpeechContext;
  readonly request: SpeechRequest;
  readonly admitted: Admitted;
  readonly bill: Bill;
}

export type Spoken = Attempted<SpokenText>;

/**
 * Has one piece of text spoken; resolves with its first sound.
 * @throws {AttemptsFailed}
 */
export function speak({ exchange, context, request }: Serving, text: string): Promise<Spoken> {
  const { requestId, signal } = exchange;
  const { voice, instructions } = request;
  const call = { requestId, text, voice, instructions, audio: context.audio };
  // A text is billed by its characters, all of them as soon as it is taken: reading on would tell nothing more.
  const disconnect = { drains: context.drains, onAbort: "stops" } as const;
  return attempt({
    upstreams: request.model.upstreams,
    health: context.health,
    budget: context.budget,
    signal,
    call: (upstream: Upstream) => {
      const adapter = speechAdapter(upstream.provider.protocol);
      if (adapter === undefined) throw new UpstreamFailure("operator", `${upstream.provider.protocol} does not speak`);
      return adapter.speak(call, { upstream, pools: context.pools, signal, disconnect });
    },
    onFailure: (upstream, failure) => context.events.upstreamFailed(requestId, upstream, failure),
  });
}
