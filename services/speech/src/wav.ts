import { callParts, type PartResults } from "@uag/pipeline/call-parts";
import { PartialFailure } from "@uag/pipeline/operation/partial-failure";
import type { UnaryReply } from "@uag/pipeline/operation/reply";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { type Attempted, AttemptsFailed } from "@uag/providers/attempt";
import { type CharacterReport, type SpokenText, sampleRate } from "@uag/providers/speech/types";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import { CompleteSamples } from "./audio/samples.ts";
import { wavHeader } from "./audio/wav-header.ts";
import { type AdmittedSpeech, attemptSpeech, reportIn, type Speaker, wasAccepted } from "./call.ts";
import { soundBytes } from "./speaking-rate.ts";
import { Tally } from "./tally.ts";
import type { Piece } from "./text/pieces.ts";

/** Pieces spoken concurrently. */
const maxAtOnce = 4;

interface Sound {
  readonly spoken: SpokenText;
  readonly pcm: readonly Buffer[];
}
type SoundParts = PartResults<Attempted<Sound>>;

/** All the audio of a text. */
export interface WavResponse {
  readonly kind: "wav";
  readonly parts: SoundParts;
  readonly tally: Tally;
}

/**
 * Synthesizes all pieces before anything is sent, because the header of a WAV file contains its
 * length.
 * @throws {PartialFailure} with the pieces that upstreams charge for: those that were spoken, and
 * those they had when the client disconnected
 */
export async function speakWav(
  speaker: Speaker,
  admitted: AdmittedSpeech,
  pieces: readonly Piece[],
): Promise<WavResponse> {
  const { exchange, request, lease } = admitted;
  const taken: TakenPieces = new Map();
  const room = new Room(lease, soundBytes(request.characters));
  const parts: SoundParts = await callParts(pieces, {
    atOnce: maxAtOnce,
    signal: exchange.signal,
    call: (piece, signal) => speakPiece(speaker, admitted, { piece, signal, taken, room }),
  });
  const tally = tallyOf(pieces, parts, taken);
  if (parts.failure === undefined) return { kind: "wav", parts, tally };
  const { thrown } = parts.failure;
  const outcome = exchange.over ? Outcome.DISCONNECTED : Outcome.FAILED;
  const owed = tally.characters > 0 ? { ...tally.usage(), outcome } : undefined;
  const failed = thrown instanceof AttemptsFailed ? thrown.upstream : undefined;
  throw new PartialFailure(thrown, {
    owed,
    upstream: owed && (parts.responses.find((part) => part !== undefined)?.upstream ?? failed),
    attempts: attemptsOf(parts) + (thrown instanceof AttemptsFailed ? thrown.attempts : 0),
  });
}

/** Returns the audio as a WAV file, billed by all of its text. */
export function wavReply({ parts, tally }: WavResponse): UnaryReply {
  const pcm = parts.responses.flatMap((part) => part?.value.pcm ?? []);
  let bytes = 0;
  for (const { length } of pcm) bytes += length;
  return {
    kind: "unary",
    upstream: parts.responses[0]?.upstream,
    attempts: attemptsOf(parts),
    charge: tally.usage(),
    headers: ["content-type", "audio/wav", "cache-control", "no-cache"],
    body: [wavHeader(sampleRate, bytes), ...pcm],
  };
}

/**
 * Pieces that an upstream had when the call failed or the client disconnected, and the characters
 * that it reported for them.
 */
type TakenPieces = Map<Piece, CharacterReport | undefined>;

interface PieceCall {
  readonly piece: Piece;
  readonly signal: AbortSignal;
  readonly taken: TakenPieces;
  readonly room: Room;
}

async function speakPiece(
  speaker: Speaker,
  admitted: AdmittedSpeech,
  { piece, signal, taken, room }: PieceCall,
): Promise<Attempted<Sound>> {
  try {
    return await attemptSpeech(speaker, admitted, {
      text: piece.text,
      signal,
      take: async (spoken) => {
        taken.set(piece, undefined);
        try {
          return { spoken, pcm: await collect(spoken, room) };
        } catch (thrown) {
          if (!admitted.exchange.over) taken.delete(piece);
          throw thrown;
        }
      },
    });
  } catch (thrown) {
    if (wasAccepted(thrown)) taken.set(piece, reportIn(thrown));
    throw thrown;
  }
}

async function collect(spoken: SpokenText, room: Room): Promise<Buffer[]> {
  const samples = new CompleteSamples();
  const pcm: Buffer[] = [];
  let held = 0;
  try {
    for await (const bytes of spoken.pcm) {
      room.hold(bytes.length);
      held += bytes.length;
      pcm.push(samples.push(bytes));
    }
    return pcm;
  } catch (thrown) {
    room.release(held);
    throw thrown;
  }
}

function tallyOf(pieces: readonly Piece[], { responses }: SoundParts, taken: Readonly<TakenPieces>): Tally {
  const tally = new Tally();
  for (const [place, piece] of pieces.entries()) {
    const sound = responses[place]?.value;
    if (sound !== undefined) {
      tally.begin(sound.spoken, piece.characters);
      tally.finish();
    } else if (taken.has(piece)) tally.abandon(piece.characters, taken.get(piece));
  }
  return tally;
}

function attemptsOf({ responses }: SoundParts): number {
  let attempts = 0;
  for (const part of responses) attempts += part?.attempts ?? 0;
  return attempts;
}

/**
 * Memory for audio. The expected amount is reserved up front, so that it is available before any
 * cost arises.
 */
class Room {
  readonly #lease: BufferLease;
  #aside: number;
  #held = 0;

  constructor(lease: BufferLease, expected: number) {
    lease.take(expected);
    this.#lease = lease;
    this.#aside = expected;
  }

  /** @throws {GatewayError} `service_unavailable` when there is not enough memory */
  hold(bytes: number): void {
    const more = this.#held + bytes - this.#aside;
    if (more > 0) {
      this.#lease.take(more);
      this.#aside += more;
    }
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}
