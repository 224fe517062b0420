import type { CapabilityContext } from "@uag/capability/context.ts";
import type { AdmittedRequest, Size } from "@uag/capability/operation/operation-spec.ts";
import { type Attempted, AttemptsFailed } from "@uag/upstreams/attempt.ts";
import { UpstreamFailure } from "@uag/upstreams/failure.ts";
import { speechAdapter } from "@uag/upstreams/registry.ts";
import type { AudioFetcher } from "@uag/upstreams/speech/fetch.ts";
import type { SpokenText } from "@uag/upstreams/speech/types.ts";
import type { SpeechRequest } from "./request/read.ts";

/** What a piece of text is spoken with. */
export interface Speaker extends Pick<CapabilityContext, "drains" | "events" | "pools"> {
  /** Fetches sound that an upstream only gives the URL of. */
  readonly audio: AudioFetcher;
}

/** A speech request that may go upstream. */
export type AdmittedSpeech = AdmittedRequest<SpeechRequest, Size>;
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
export function speak(speaker: Speaker, admitted: AdmittedSpeech, text: string): Promise<Spoken> {
  return speakAs(speaker, admitted, { text, signal: admitted.exchange.signal, take: async (spoken) => spoken });
}

/**
 * Has one piece of text spoken, and taken.
 * @throws {AttemptsFailed}
 */
export function speakAs<T>(
  { audio, drains, pools }: Speaker,
  { exchange, request, attempt }: AdmittedSpeech,
  { text, signal, take }: SpeakOptions<T>,
): Promise<Attempted<T>> {
  const { voice, instructions } = request;
  const call = { requestId: exchange.requestId, text, voice, instructions, audio };
  // A text is billed by its characters, all of them as soon as it is taken: reading on would tell
  // nothing more.
  const disconnect = { drains, onAbort: "stops" } as const;
  return attempt(async (upstream) => {
    const adapter = speechAdapter(upstream.provider.protocol);
    if (adapter === undefined) throw new UpstreamFailure("operator", `${upstream.provider.protocol} does not speak`);
    return take(await adapter.speak(call, { upstream, pools, signal, disconnect }));
  }, signal);
}

/** True when the upstream had the text, and the call was given up because its client had left. */
export function wasTaken(thrown: unknown): boolean {
  return thrown instanceof AttemptsFailed && thrown.failure.workedMs !== undefined;
}
