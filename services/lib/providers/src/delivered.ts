import type { Delivered } from "./generation.ts";

/** Unparsed events are buffered up to this many bytes, then parsed for their text. */
const keptBytes = 8 * 1024;

const roughTokens = (bytes: number): number => Math.ceil(bytes / 4);

/**
 * Collects what a stream has delivered. Most streams end with the upstream's own usage and the text
 * is never needed, so events are buffered and only parsed when they grow large or the text is
 * requested.
 */
export class DeliveredText implements Delivered {
  readonly #textOf: (event: unknown) => string;
  readonly #quick: ((data: Buffer) => string | undefined) | undefined;
  #kept: Buffer[] = [];
  #keptSize = 0;
  #text = "";
  #bytes = 0;

  /**
   * @param textOf extracts the generated text from one event's parsed data
   * @param quick extracts it from the raw data, for events where that is easy; undefined for the
   * others
   */
  constructor(textOf: (event: unknown) => string, quick?: (data: Buffer) => string | undefined) {
    this.#textOf = textOf;
    this.#quick = quick;
  }

  add(data: Buffer): void {
    this.#kept.push(data);
    this.#keptSize += data.length;
    if (this.#keptSize > keptBytes) this.#read();
  }

  get text(): string {
    this.#read();
    return this.#text;
  }

  get roughTokens(): number {
    this.#read();
    return roughTokens(this.#bytes);
  }

  #read(): void {
    const kept = this.#kept;
    this.#kept = [];
    this.#keptSize = 0;
    for (const data of kept) {
      const text = this.#textIn(data);
      this.#text += text;
      this.#bytes += Buffer.byteLength(text);
    }
  }

  #textIn(data: Buffer): string {
    try {
      return this.#quick?.(data) ?? this.#textOf(JSON.parse(data.toString("utf8")));
    } catch {
      // Data that is not JSON was delivered unchanged.
      return data.toString("utf8");
    }
  }
}

/** What a response delivers that is not streamed. */
export const deliveredAtOnce = (text: string): Delivered => ({
  text,
  roughTokens: roughTokens(Buffer.byteLength(text)),
});

/** Collects what a stream has delivered, where its text is known as it arrives. */
export class SpokenText implements Delivered {
  text = "";
  #bytes = 0;

  add(text: string): void {
    this.text += text;
    this.#bytes += Buffer.byteLength(text);
  }

  get roughTokens(): number {
    return roughTokens(this.#bytes);
  }
}
