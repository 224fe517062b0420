import { type Asked, askParts } from "@uag/capability/ask-parts.ts";
import { usdText } from "@uag/capability/usd.ts";
import type { BufferLease } from "@uag/kit/buffer-budget.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import type { Attempted } from "@uag/upstreams/attempt.ts";
import { type SpokenText, sampleRate } from "@uag/upstreams/speech/types.ts";
import { WholeSamples } from "./audio/samples.ts";
import { wavHeader } from "./audio/wav-header.ts";
import { giveUp, wasTaken } from "./give-up.ts";
import { soundBytes } from "./pace.ts";
import type { Piece } from "./serve.ts";
import { type Serving, speakAs } from "./speak.ts";
import { Tally } from "./tally.ts";

/** Pieces that are spoken at the same time. */
const atOnce = 4;

interface Sound {
  readonly spoken: SpokenText;
  readonly pcm: readonly Buffer[];
}
type SoundAsked = Asked<Attempted<Sound>>;

/** Answers with a file whose header tells its length: all of it is there, and its bill on disk, before its first byte leaves. */
export async function serveWhole(serving: Serving, pieces: readonly Piece[]): Promise<void> {
  const { exchange, request, lease } = serving;
  const taken = new Set<Piece>();
  let asked: SoundAsked = { answers: [], failure: undefined };
  try {
    const room = new Room(lease, soundBytes(request.characters));
    const ask = (piece: Piece, signal: AbortSignal) => askPiece(serving, { piece, signal, taken, room });
    asked = await askParts(pieces, { atOnce, signal: exchange.signal, ask });
    if (asked.failure !== undefined) throw asked.failure.thrown;
  } catch (thrown) {
    const tally = exchange.over ? tallyOf(pieces, asked, taken) : new Tally();
    const owed = tally.characters > 0 ? tally.charge(Outcome.DISCONNECTED) : undefined;
    return await giveUp(serving, { thrown, attempts: attemptsOf(asked), owed });
  }
  await answer(serving, { asked, tally: tallyOf(pieces, asked, taken) });
}

interface PieceCall {
  readonly piece: Piece;
  readonly signal: AbortSignal;
  /** Pieces that an upstream had when their client left. */
  readonly taken: Set<Piece>;
  readonly room: Room;
}

async function askPiece(serving: Serving, call: PieceCall): Promise<Attempted<Sound>> {
  const { piece, signal, taken, room } = call;
  try {
    return await speakAs(serving, {
      text: piece.text,
      signal,
      take: async (spoken) => {
        taken.add(piece);
        try {
          return { spoken, pcm: await collect(spoken, room) };
        } catch (thrown) {
          if (!serving.exchange.over) taken.delete(piece);
          throw thrown;
        }
      },
    });
  } catch (thrown) {
    if (wasTaken(thrown)) taken.add(piece);
    throw thrown;
  }
}

async function collect(spoken: SpokenText, room: Room): Promise<Buffer[]> {
  const samples = new WholeSamples();
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

function tallyOf(pieces: readonly Piece[], { answers }: SoundAsked, taken: ReadonlySet<Piece>): Tally {
  const tally = new Tally();
  for (const [place, piece] of pieces.entries()) {
    const sound = answers[place]?.value;
    if (sound !== undefined) {
      tally.begin(sound.spoken, piece.characters);
      tally.finish();
    } else if (taken.has(piece)) tally.abandon(piece.characters);
  }
  return tally;
}

function attemptsOf({ answers }: SoundAsked): number {
  let attempts = 0;
  for (const answered of answers) attempts += answered?.attempts ?? 0;
  return attempts;
}

async function answer(serving: Serving, { asked, tally }: { asked: SoundAsked; tally: Tally }): Promise<void> {
  const { exchange, request, admitted, bill } = serving;
  const outcome = exchange.over ? Outcome.DISCONNECTED : Outcome.COMPLETED;
  const attempts = attemptsOf(asked);
  const cost = await bill.charge(tally.charge(outcome), {
    upstream: asked.answers[0]?.upstream,
    attempts,
    status: 200,
  });
  const pcm = asked.answers.flatMap((answered) => answered?.value.pcm ?? []);
  const header = wavHeader(
    sampleRate,
    pcm.reduce((sum, { length }) => sum + length, 0),
  );
  const length = header.length + header.readUInt32LE(40);
  const headers = ["content-type", "audio/wav", "content-length", String(length), "cache-control", "no-cache"];
  headers.push("x-gateway-model", request.model.id, "x-gateway-attempts", String(attempts), ...admitted.headers);
  exchange.head(200, [...headers, "x-gateway-cost-usd", usdText(cost)]);
  for (const bytes of [header, ...pcm]) {
    if (exchange.over) return;
    if (bytes.length > 0 && !exchange.write(bytes)) await exchange.drained().catch(() => {});
  }
  exchange.end();
}

/** Memory for sound. What is expected is set aside at once, so that there is room before anything is paid for. */
class Room {
  readonly #lease: BufferLease;
  #aside: number;
  #held = 0;

  constructor(lease: BufferLease, expected: number) {
    lease.take(expected);
    this.#lease = lease;
    this.#aside = expected;
  }

  /** @throws {GatewayError} `service_unavailable` when there is no room */
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
