import type { Answered } from "@uag/capability/bill.ts";
import { clientErrorOf } from "@uag/capability/client-error.ts";
import { usdText } from "@uag/capability/usd.ts";
import { price } from "@uag/catalog/price.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { AttemptsFailed } from "@uag/upstreams/attempt.ts";
import { UpstreamFailure } from "@uag/upstreams/failure.ts";
import type { Mp3Encoder } from "./audio/mp3-threads.ts";
import { WholeSamples } from "./audio/samples.ts";
import { wasTaken } from "./give-up.ts";
import type { Piece } from "./serve.ts";
import { type Serving, type Spoken, speak } from "./speak.ts";
import { Tally } from "./tally.ts";

const checkpointMs = 5_000;

export interface Delivery {
  /** The first piece, whose sound is there. */
  readonly first: Spoken;
  /** All pieces of the text, the first included. */
  readonly pieces: readonly Piece[];
  readonly encoder: Mp3Encoder;
}

/** Brings the sound to the client as MP3, as it comes. The answer ends after its bill is on disk; one that breaks is cut. */
export async function deliver(serving: Serving, delivery: Delivery): Promise<void> {
  const { exchange, request, admitted } = serving;
  const { first } = delivery;
  const work = new Speaking(serving, delivery);
  let failure: { thrown: unknown } | undefined;
  try {
    const headers = ["content-type", "audio/mpeg", "cache-control", "no-cache"];
    headers.push("x-gateway-model", request.model.id, "x-gateway-attempts", String(first.attempts));
    exchange.head(200, [...headers, ...admitted.headers, "x-gateway-cost-usd", expectedCost(serving, delivery)]);
    await work.all();
  } catch (thrown) {
    if (exchange.over) work.abandon();
    failure = { thrown };
    await letGo(serving, delivery);
  }
  await close(serving, work, failure);
}

/** Ends what is at work for an answer that has failed; never rejects, for its bill is yet to be written. */
export async function letGo(
  { exchange, context }: Pick<Serving, "exchange" | "context">,
  { encoder, first }: { readonly encoder: Mp3Encoder | undefined; readonly first: Spoken | undefined },
): Promise<void> {
  try {
    encoder?.drop();
    await first?.value.pcm.return();
  } catch (error) {
    context.events.failed(exchange.requestId, error);
  }
}

/** By our own count of the characters; the bill follows the upstream's. */
function expectedCost({ request }: Serving, { pieces }: Delivery): string {
  const characters = pieces.reduce((sum, piece) => sum + piece.characters, 0);
  const units = [{ name: "characters", quantity: BigInt(characters) }];
  return usdText(price(units, request.model.price).costNanoUsd);
}

/** Writes the bill of what was delivered, then ends the answer, or cuts it. */
async function close(serving: Serving, work: Speaking, failure: { thrown: unknown } | undefined): Promise<void> {
  const { exchange, context, bill } = serving;
  const { tally, answered } = work;
  try {
    const outcome = exchange.over ? Outcome.DISCONNECTED : Outcome.COMPLETED;
    if (tally.characters === 0) await bill.fail(answered);
    else await bill.charge(tally.charge(outcome), answered);
  } catch (error) {
    context.events.failed(exchange.requestId, error);
    exchange.fail("service_unavailable");
    return;
  }
  if (failure === undefined) {
    exchange.end();
    return;
  }
  const { error } = clientErrorOf(failure.thrown, exchange.requestId);
  if (failure.thrown instanceof UpstreamFailure && answered.upstream !== undefined)
    context.events.upstreamFailed(exchange.requestId, answered.upstream, failure.thrown);
  else if (error.code === "internal_error" && !exchange.over) context.events.failed(exchange.requestId, failure.thrown);
  exchange.fail(error.code);
}

class Speaking {
  readonly tally = new Tally();
  readonly #serving: Serving;
  readonly #delivery: Delivery;
  readonly #samples = new WholeSamples();
  #attempts = 0;
  /** Characters of the piece that an upstream is at work on. */
  #sent = 0;
  #notedAt = performance.now();

  constructor(serving: Serving, delivery: Delivery) {
    this.#serving = serving;
    this.#delivery = delivery;
  }

  /** The client has left: what the upstream has of the text is paid for. */
  abandon(): void {
    if (this.#sent > 0) this.tally.abandon(this.#sent);
  }

  get answered(): Answered {
    return { upstream: this.#delivery.first.upstream, attempts: this.#attempts, status: 200 };
  }

  async all(): Promise<void> {
    const { pieces, first, encoder } = this.#delivery;
    for (const [place, { text, characters }] of pieces.entries()) {
      const spoken = place === 0 ? first : await this.#speak(text, characters);
      this.#attempts += spoken.attempts;
      this.#sent = characters;
      this.tally.begin(spoken.value, characters);
      this.#samples.restart();
      for await (const pcm of spoken.value.pcm) await this.#write(pcm);
      this.tally.finish();
      this.#sent = 0;
    }
    await this.#send(await encoder.finish());
  }

  async #speak(text: string, characters: number): Promise<Spoken> {
    try {
      return await speak(this.#serving, text);
    } catch (thrown) {
      if (thrown instanceof AttemptsFailed) this.#attempts += thrown.attempts;
      if (wasTaken(thrown)) this.#sent = characters;
      throw thrown;
    }
  }

  async #write(pcm: Buffer): Promise<void> {
    const whole = this.#samples.push(pcm);
    if (whole.length === 0) return;
    await this.#send(await this.#delivery.encoder.encode(whole));
    this.tally.delivered(whole.length);
    const now = performance.now();
    if (now - this.#notedAt < checkpointMs) return;
    this.#notedAt = now;
    const { units } = this.tally.charge(Outcome.CRASHED);
    this.#serving.admitted.checkpoint(units, price(units, this.#serving.request.model.price).costNanoUsd);
  }

  async #send(bytes: Buffer): Promise<void> {
    const { exchange } = this.#serving;
    if (bytes.length > 0 && !exchange.write(bytes)) await exchange.drained();
  }
}
