import { price } from "@uag/catalog/price";
import type { CapabilityContext } from "@uag/pipeline/context";
import type { Checkpoints } from "@uag/pipeline/operation/checkpoints";
import { PartialFailure } from "@uag/pipeline/operation/partial-failure";
import type { StreamEnd, StreamReply } from "@uag/pipeline/operation/reply";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { AttemptsFailed } from "@uag/providers/attempt";
import type { CharacterReport } from "@uag/providers/speech/types";
import { usdText } from "@uag/runtime/usd";
import type { Mp3Encoder, Mp3Encoders } from "./audio/mp3-encoders.ts";
import { CompleteSamples } from "./audio/samples.ts";
import { type AdmittedSpeech, reportIn, type Speaker, type Spoken, speak, wasAccepted } from "./call.ts";
import { Tally } from "./tally.ts";
import type { Piece } from "./text/pieces.ts";

/** Speech whose first audio has arrived. */
export interface Mp3Response {
  readonly kind: "mp3";
  /** The first piece. */
  readonly first: Spoken;
  /** All pieces of the text, the first included. */
  readonly pieces: readonly Piece[];
  readonly encoder: Mp3Encoder;
}

/**
 * Requests speech for the first piece: until its first audio arrives, another upstream may take
 * over.
 * @throws {AttemptsFailed} or, when an upstream charges for the text all the same,
 * {PartialFailure}
 */
export async function openMp3(
  speaker: Speaker,
  admitted: AdmittedSpeech,
  { pieces, encoders }: { readonly pieces: readonly Piece[]; readonly encoders: Mp3Encoders },
): Promise<Mp3Response> {
  const { text, characters } = pieces[0] as Piece;
  const encoder = encoders.open();
  try {
    return { kind: "mp3", first: await speak(speaker, admitted, text), pieces, encoder };
  } catch (thrown) {
    encoder.drop();
    if (!(thrown instanceof AttemptsFailed) || !wasAccepted(thrown)) throw thrown;
    const { upstream, attempts, failure } = thrown;
    const estimate = { units: [{ name: "characters", quantity: BigInt(characters) }], estimated: true };
    const outcome = admitted.exchange.over ? Outcome.DISCONNECTED : Outcome.FAILED;
    const owed = { ...(failure.usage ?? estimate), outcome };
    throw new PartialFailure(thrown, { owed, upstream, attempts });
  }
}

/** Releases the resources of a response that is not delivered completely. */
export async function discardMp3({ encoder, first }: Mp3Response): Promise<void> {
  encoder.drop();
  await first.value.pcm.return();
}

/** Streams the audio as MP3. A response that fails midway is cut off. */
export function mp3Reply(speaker: Speaker, admitted: AdmittedSpeech, response: Mp3Response): StreamReply {
  const { upstream, attempts } = response.first;
  const work = new Speaking(speaker, admitted, response);
  return {
    kind: "stream",
    upstream,
    attempts,
    headers: [
      "content-type",
      "audio/mpeg",
      "cache-control",
      "no-cache",
      "x-gateway-cost-usd",
      expectedCost(admitted, response),
    ],
    progress() {
      const units = work.tally.accepted();
      return { units, costNanoUsd: price(units, admitted.model.price).costNanoUsd, isUpperBound: false };
    },
    relay: (_, checkpoints) => relay(work, { speaker, admitted, response, checkpoints }),
  };
}

interface Relayed {
  readonly speaker: Speaker;
  readonly admitted: AdmittedSpeech;
  readonly response: Mp3Response;
  readonly checkpoints: Checkpoints;
}

async function relay(work: Speaking, { speaker, admitted, response, checkpoints }: Relayed): Promise<StreamEnd> {
  const { exchange } = admitted;
  let failure: StreamEnd["failure"];
  try {
    await work.all(checkpoints);
  } catch (thrown) {
    if (exchange.over || wasAccepted(thrown)) work.abandon(reportIn(thrown));
    failure = { thrown };
    await discarded(speaker, exchange.requestId, response);
  }
  const { tally, attempts } = work;
  return { charge: tally.characters === 0 ? undefined : tally.usage(), failure, attempts };
}

/** Never rejects, because the bill is still to be written. */
async function discarded(
  { events }: Pick<CapabilityContext, "events">,
  requestId: string,
  response: Mp3Response,
): Promise<void> {
  try {
    await discardMp3(response);
  } catch (error) {
    events.failed(requestId, error);
  }
}

/** Based on our own character count; the bill follows the upstream's. */
function expectedCost({ model }: AdmittedSpeech, { pieces }: Mp3Response): string {
  const characters = pieces.reduce((sum, piece) => sum + piece.characters, 0);
  return usdText(price([{ name: "characters", quantity: BigInt(characters) }], model.price).costNanoUsd);
}

class Speaking {
  readonly tally = new Tally();
  readonly #speaker: Speaker;
  readonly #admitted: AdmittedSpeech;
  readonly #response: Mp3Response;
  readonly #samples = new CompleteSamples();
  /** Upstream calls for all pieces so far. */
  attempts = 0;
  /** Characters of the piece that an upstream is working on. */
  #sent = 0;

  constructor(speaker: Speaker, admitted: AdmittedSpeech, response: Mp3Response) {
    this.#speaker = speaker;
    this.#admitted = admitted;
    this.#response = response;
    this.#begin(response.first, response.pieces[0] as Piece);
  }

  /** The call failed or its client disconnected: text that the upstream has accepted is charged. */
  abandon(report: CharacterReport | undefined): void {
    if (this.#sent > 0) this.tally.abandon(this.#sent, report);
  }

  async all(checkpoints: Checkpoints): Promise<void> {
    const { pieces, first, encoder } = this.#response;
    await this.#relay(first);
    for (const piece of pieces.slice(1)) {
      const spoken = await this.#speak(piece);
      this.#begin(spoken, piece);
      checkpoints.write();
      await this.#relay(spoken);
    }
    await this.#send(await encoder.finish());
  }

  #begin({ attempts, value }: Spoken, { characters }: Piece): void {
    this.attempts += attempts;
    this.#sent = characters;
    this.tally.begin(value, characters);
  }

  async #relay({ value }: Spoken): Promise<void> {
    this.#samples.restart();
    for await (const pcm of value.pcm) await this.#write(pcm);
    this.tally.finish();
    this.#sent = 0;
  }

  async #speak({ text, characters }: Piece): Promise<Spoken> {
    try {
      return await speak(this.#speaker, this.#admitted, text);
    } catch (thrown) {
      if (thrown instanceof AttemptsFailed) this.attempts += thrown.attempts;
      if (wasAccepted(thrown)) this.#sent = characters;
      throw thrown;
    }
  }

  async #write(pcm: Buffer): Promise<void> {
    const whole = this.#samples.push(pcm);
    if (whole.length === 0) return;
    await this.#send(await this.#response.encoder.encode(whole));
    this.tally.delivered(whole.length);
  }

  async #send(bytes: Buffer): Promise<void> {
    const { exchange } = this.#admitted;
    if (bytes.length > 0 && !exchange.write(bytes)) await exchange.drained();
  }
}
