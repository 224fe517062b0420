import type { UsageCharge } from "@uag/pipeline/bill";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { CharacterReport, SpokenText } from "@uag/providers/speech/types";
import { charactersIn } from "./speaking-rate.ts";

interface OpenPiece {
  readonly spoken: SpokenText;
  /** Our own count of its characters. */
  readonly characters: number;
  pcmBytes: number;
}

/** Counts the characters a request has spoken, piece by piece. */
export class Tally {
  readonly #reports: CharacterReport[] = [];
  #pieces = 0;
  #characters = 0;
  #estimated = false;
  #open: OpenPiece | undefined;

  begin(spoken: SpokenText, characters: number): void {
    this.#pieces++;
    this.#open = { spoken, characters, pcmBytes: 0 };
  }

  delivered(pcmBytes: number): void {
    if (this.#open !== undefined) this.#open.pcmBytes += pcmBytes;
  }

  /**
   * The call failed, or the client disconnected, while a piece was at the upstream, which charges
   * for the characters that it reported, else for all of the text.
   */
  abandon(characters: number, report?: CharacterReport): void {
    if (this.#open === undefined) this.#pieces++;
    if (report !== undefined) {
      this.#reports.push(report);
      this.#characters += report.characters;
      this.#open = undefined;
      return;
    }
    this.#characters += this.#open?.spoken.usage()?.characters ?? characters;
    this.#estimated = true;
    this.#open = undefined;
  }

  /** The piece was spoken completely. */
  finish(): void {
    const open = this.#open;
    if (open === undefined) return;
    const usage = open.spoken.usage();
    if (usage === undefined) this.#estimated = true;
    else this.#reports.push(usage);
    this.#characters += usage?.characters ?? open.characters;
    this.#open = undefined;
  }

  /** Characters of finished pieces, plus those of an open one as far as it was delivered. */
  get characters(): number {
    return this.#characters + this.#openCharacters();
  }

  /**
   * The characters of all text that upstreams have accepted so far, which they charge for although
   * it is not yet spoken.
   */
  accepted(): Unit[] {
    return [{ name: "characters", quantity: BigInt(this.#characters + (this.#open?.characters ?? 0)) }];
  }

  /**
   * The charge for what was delivered. Any part without a final count from the upstream is an
   * estimate.
   */
  usage(): UsageCharge {
    const partial = this.#openCharacters();
    return {
      units: [{ name: "characters", quantity: BigInt(this.#characters + partial) }],
      raw: this.#raw(),
      estimated: this.#estimated || partial > 0,
    };
  }

  #openCharacters(): number {
    const open = this.#open;
    if (open === undefined || open.pcmBytes === 0) return 0;
    // Some upstreams report the whole count at once.
    const spoken = charactersIn(open.pcmBytes);
    return Math.min(spoken, open.spoken.usage()?.characters ?? spoken, open.characters);
  }

  /** The upstream's usage object as received, or a list of those of all pieces. */
  #raw(): Buffer | undefined {
    const [first] = this.#reports;
    if (first === undefined || this.#pieces === 1) return first?.raw;
    return Buffer.from(`[${this.#reports.map(({ raw }) => raw.toString("utf8")).join(",")}]`);
  }
}
