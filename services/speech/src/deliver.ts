import type { Answered } from "@uag/capability/bill.ts";
import { troubleOf } from "@uag/capability/trouble.ts";
import { price } from "@uag/catalog/price.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { AttemptsFailed } from "@uag/upstreams/attempt.ts";
import { UpstreamFailure } from "@uag/upstreams/failure.ts";
import type { Encoding } from "./audio/encoding.ts";
import { WholeSamples } from "./audio/samples.ts";
import { type Serving, type Spoken, speak } from "./speak.ts";
import { Tally } from "./tally.ts";
import { countCharacters } from "./text/count.ts";

const checkpointMs = 5_000;

export interface Delivery {
  /** The first piece, whose sound is there. */
  readonly first: Spoken;
  /** All pieces of the text, the first included. */
  readonly pieces: readonly string[];
  readonly encoding: Encoding;
}

/** Brings the sound to the client as it comes. The answer ends after its bill is on disk; one that breaks is cut. */
export async function deliver(serving: Serving, delivery: Delivery): Promise<void> {
  const { exchange, request, admitted } = serving;
  const { encoding, first } = delivery;
  const work = new Speaking(serving, delivery);
  let failure: { thrown: unknown } | undefined;
  try {
    const headers = ["content-type", encoding.contentType, "cache-control", "no-cache"];
    headers.push("x-gateway-model", request.model.id, "x-gateway-attempts", String(first.attempts));
    exchange.head(200, [...headers, ...admitted.headers]);
    if (encoding.opening.length > 0) exchange.write(encoding.opening);
    await work.all();
  } catch (thrown) {
    encoding.drop();
    await first.value.pcm.return();
    if (exchange.over) work.abandon();
    failure = { thrown };
  }
  await close(serving, work, failure);
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
  const { error } = troubleOf(failure.thrown, exchange.requestId);
  if (failure.thrown instanceof UpstreamFailure && answered.upstream !== undefined)
    context.events.upstreamFailed(exchange.requestId, answered.upstream, failure.thrown);
  else if (error.code === "internal_error" && !exchange.over) context.events.failed(exchange.requestId, failure.thrown);
  exchange.fail(error.code);
}

class Speaking {
  readonly tally = new Tally();
  readonly #serving: Serving;
  readonly #delivery: Delivery;
  readonly #encoding: Encoding;
  readonly #samples = new WholeSamples();
  #attempts = 0;
  /** Characters of the piece that an upstream is at work on. */
  #sent = 0;
  #notedAt = performance.now();

  constructor(serving: Serving, delivery: Delivery) {
    this.#serving = serving;
    this.#delivery = delivery;
    this.#encoding = delivery.encoding;
  }

  /** The client has left: what the upstream has of the text is paid for. */
  abandon(): void {
    if (this.#sent > 0) this.tally.abandon(this.#sent);
  }

  get answered(): Answered {
    return { upstream: this.#delivery.first.upstream, attempts: this.#attempts, status: 200 };
  }

  async all(): Promise<void> {
    for (const [place, text] of this.#delivery.pieces.entries()) {
      const characters = countCharacters(text, this.#serving.request.traits.ideographWeight);
      const spoken = place === 0 ? this.#delivery.first : await this.#speak(text, characters);
      this.#attempts += spoken.attempts;
      this.#sent = characters;
      this.tally.begin(spoken.value, characters);
      this.#samples.restart();
      for await (const pcm of spoken.value.pcm) await this.#write(pcm);
      this.tally.finish();
      this.#sent = 0;
    }
    await this.#send(await this.#encoding.finish());
  }

  async #speak(text: string, characters: number): Promise<Spoken> {
    try {
      return await speak(this.#serving, text);
    } catch (thrown) {
      if (thrown instanceof AttemptsFailed) {
        this.#attempts += thrown.attempts;
        if (thrown.failure.workedMs !== undefined) this.#sent = characters;
      }
      throw thrown;
    }
  }

  async #write(pcm: Buffer): Promise<void> {
    const whole = this.#samples.push(pcm);
    if (whole.length === 0) return;
    await this.#send(await this.#encoding.encode(whole));
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
