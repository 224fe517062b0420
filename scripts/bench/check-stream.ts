import { chunkMark, monotonicUs, type StreamShape } from "./responses.ts";

const contentKey = '"content":"';
const stampDigits = 16;

/**
 * Checks one streamed response and throws at the first event that is out of order: every chunk
 * once, of the right request, then the end of the text, the usage only if it was requested, and
 * `[DONE]`.
 */
export class StreamCheck {
  readonly #nonce: string;
  readonly #shape: StreamShape & { readonly includeUsage: boolean };
  /** Receives each chunk's delay from the upstream's write to here, microseconds. */
  readonly #arrived: (delayUs: number) => void;
  #rest = "";
  #chunks = 0;
  #finished = false;
  #usages = 0;
  #done = false;

  constructor(options: {
    readonly nonce: string;
    readonly shape: StreamShape & { readonly includeUsage: boolean };
    readonly arrived: (delayUs: number) => void;
  }) {
    this.#nonce = options.nonce;
    this.#shape = options.shape;
    this.#arrived = options.arrived;
  }

  get chunks(): number {
    return this.#chunks;
  }

  push(bytes: Buffer): void {
    const text = this.#rest + bytes.toString("latin1");
    let at = 0;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n", at)) {
      if (!text.startsWith(":", at)) this.#event(text.slice(at, end));
      at = end + 2;
    }
    this.#rest = text.slice(at);
  }

  /** The response's body is complete. */
  end(): void {
    if (this.#rest !== "") this.#fail("a partial event at the end", this.#rest);
    if (!this.#done) this.#fail(`the stream ended after ${this.#chunks} chunks without [DONE]`, "");
  }

  #event(event: string): void {
    if (this.#done) this.#fail("an event after [DONE]", event);
    if (event === "data: [DONE]") this.#lastEvent(event);
    else if (event.includes('"usage":{')) this.#usages += 1;
    else if (event.includes('"finish_reason":"stop"')) this.#finished = true;
    else this.#chunk(event);
  }

  #chunk(event: string): void {
    const at = event.indexOf(contentKey) + contentKey.length;
    const mark = chunkMark(this.#chunks, this.#nonce);
    if (at < contentKey.length || !event.startsWith(mark, at)) this.#fail(`chunk ${this.#chunks} expected`, event);
    this.#chunks += 1;
    const stampAt = at + mark.length;
    this.#arrived(monotonicUs() - Number(event.slice(stampAt, stampAt + stampDigits)));
  }

  #lastEvent(event: string): void {
    const { chunks, includeUsage } = this.#shape;
    if (this.#chunks !== chunks) this.#fail(`${this.#chunks} chunks arrived instead of ${chunks}`, event);
    if (!this.#finished) this.#fail("no finish_reason arrived", event);
    const usages = includeUsage ? 1 : 0;
    if (this.#usages !== usages) this.#fail(`${this.#usages} usage chunks arrived instead of ${usages}`, event);
    this.#done = true;
  }

  #fail(what: string, event: string): never {
    throw new Error(`${what}; request ${this.#nonce}, event: ${event.slice(0, 2_000)}`);
  }
}
