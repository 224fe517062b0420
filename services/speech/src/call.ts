import type { CapabilityContext } from "@uag/pipeline/context";
import type { AdmittedRequest, Size } from "@uag/pipeline/operation/operation-spec";
import { type Attempted, AttemptsFailed } from "@uag/providers/attempt";
import { UpstreamFailure } from "@uag/providers/failure";
import { adapterFor } from "@uag/providers/registry";
import type { AudioFetcher } from "@uag/providers/speech/fetch";
import type { CharacterReport, SpokenText } from "@uag/providers/speech/types";
import type { SpeechRequest } from "./request/read.ts";

/** Dependencies for speaking a piece of text. */
export interface Speaker extends Pick<CapabilityContext, "drains" | "events" | "pools"> {
  /** Fetches audio for which an upstream only returns a URL. */
  readonly audio: AudioFetcher;
}

/** An admitted speech request. */
export type AdmittedSpeech = AdmittedRequest<SpeechRequest, Size>;
export type Spoken = Attempted<SpokenText>;

export interface SpeakOptions<T> {
  readonly text: string;
  readonly signal: AbortSignal;
  /**
   * Consumes an upstream's speech; if it rejects with an `UpstreamFailure`, another attempt is
   * made.
   */
  take(spoken: SpokenText): Promise<T>;
}

/**
 * Requests speech for one piece of text; resolves with its first audio.
 * @throws {AttemptsFailed}
 */
export function speak(speaker: Speaker, admitted: AdmittedSpeech, text: string): Promise<Spoken> {
  return attemptSpeech(speaker, admitted, { text, signal: admitted.exchange.signal, take: async (spoken) => spoken });
}

/**
 * Requests speech for one piece of text and passes it to `take`.
 * @throws {AttemptsFailed}
 */
export function attemptSpeech<T>(
  { audio, drains, pools }: Speaker,
  { exchange, request, attempt, memory }: AdmittedSpeech,
  { text, signal, take }: SpeakOptions<T>,
): Promise<Attempted<T>> {
  const { voice, instructions } = request;
  const call = { requestId: exchange.requestId, text, voice, instructions, audio, memory };
  // All characters of a text are billed once it is accepted, so reading on would reveal nothing
  // more.
  const disconnect = { drains, onAbort: "stops" } as const;
  return attempt(async (upstream) => {
    const adapter = adapterFor("speech", upstream.provider.protocol);
    if (adapter === undefined)
      throw new UpstreamFailure("operator", `${upstream.provider.protocol} does not support speech`);
    return take(await adapter.speak(call, { upstream, pools, signal, disconnect }));
  }, signal);
}

/**
 * True when the upstream charges for a text although the call failed: it was aborted because its
 * client disconnected, or it reported usage, or responded unusably.
 */
export function wasAccepted(thrown: unknown): boolean {
  const { usage, received, workedMs } = failureIn(thrown) ?? {};
  return usage !== undefined || received !== undefined || workedMs !== undefined;
}

/** The characters that the upstream reported for a call that failed; undefined if it did not. */
export function reportIn(thrown: unknown): CharacterReport | undefined {
  const usage = failureIn(thrown)?.usage;
  const characters = usage?.units.find(({ name }) => name === "characters")?.quantity;
  return usage && characters !== undefined ? { characters: Number(characters), raw: usage.raw } : undefined;
}

function failureIn(thrown: unknown): UpstreamFailure | undefined {
  if (thrown instanceof AttemptsFailed) return thrown.failure;
  return thrown instanceof UpstreamFailure ? thrown : undefined;
}
