import { countOf, type Fields, fieldsOf, textOf } from "../conversation/fields.ts";
import { checkCallOrdinal } from "../response-limits.ts";

/**
 * Distinguishes the tool calls of a streamed response. OpenAI numbers them; other vendors omit the
 * number, reuse it, repeat id and name in every piece, or send an empty id.
 */
export class CallPlaces {
  readonly #calls: { readonly index: number | undefined; readonly id: string }[] = [];

  get size(): number {
    return this.#calls.length;
  }

  /**
   * The number of the call that a piece belongs to.
   * @throws {UpstreamFailure} for an implausible number of calls
   */
  find(piece: Fields): { call: number; isNew: boolean } {
    const known = this.#known(piece);
    if (known >= 0) return { call: known, isNew: false };
    checkCallOrdinal(this.#calls.length);
    this.#calls.push({ index: countOf(piece["index"]), id: textOf(piece["id"]) ?? "" });
    return { call: this.#calls.length - 1, isNew: true };
  }

  #known(piece: Fields): number {
    const index = countOf(piece["index"]);
    const id = textOf(piece["id"]) ?? "";
    const named = (textOf(fieldsOf(piece["function"])["name"]) ?? "") !== "";
    if (index !== undefined) {
      return this.#calls.findLastIndex((call) => call.index === index && (id === "" || id === call.id || !named));
    }
    if (id !== "") return this.#calls.findIndex((call) => call.id === id);
    return named ? -1 : this.#calls.length - 1;
  }
}
