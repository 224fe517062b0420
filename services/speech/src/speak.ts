import type { Admitted } from "@uag/admission/types.ts";
import type { Bill } from "@uag/capability/bill.ts";
import type { Upstream } from "@uag/catalog/types.ts";
import type { BufferLease } from "@uag/kit/buffer-budget.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import { type Attempted, attempt } from "@uag/upstreams/attempt.ts";
import { UpstreamFailure } from "@uag/upstreams/failure.ts";
import { speechAdapter } from "@uag/upstreams/registry.ts";
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
  /** What is held in memory for it. */
  readonly lease: BufferLease;
}

export type Spoken = Attempted<SpokenText>;

export interface SpeakOptions<T> {
  readonly text: string;
  readonly signal: AbortSignal;
  /** Takes what an upstream says; another try is made when it rejects with an `UpstreamFailure`. */
  take(spoken: SpokenText): Promise<T>;
}

/**
 * Has one piece of text spoken; resolves with its first sound.
 * @throws {AttemptsFailed}
 */
export function speak(serving: Serving, text: string): Promise<Spoken> {
  return speakAs(serving, { text, signal: serving.exchange.signal, take: async (spoken) => spoken });
}

/**
 * Has one piece of text spoken, and taken.
 * @throws {AttemptsFailed}
 */
export function speakAs<T>(serving: Serving, { text, signal, take }: SpeakOptions<T>): Promise<Attempted<T>> {
  const { exchange, context, request } = serving;
  const { requestId } = exchange;
  const { voice, instructions } = request;
  const call = { requestId, text, voice, instructions, audio: context.audio };
  // A text is billed by its characters, all of them as soon as it is taken: reading on would tell nothing more.
  const disconnect = { drains: context.drains, onAbort: "stops" } as const;
  return attempt({
    upstreams: request.model.upstreams,
    health: context.health,
    budget: context.budget,
    signal,
    call: async (upstream: Upstream) => {
      const adapter = speechAdapter(upstream.provider.protocol);
      if (adapter === undefined) throw new UpstreamFailure("operator", `${upstream.provider.protocol} does not speak`);
      return take(await adapter.speak(call, { upstream, pools: context.pools, signal, disconnect }));
    },
    onFailure: (upstream, failure) => context.events.upstreamFailed(requestId, upstream, failure),
  });
}
