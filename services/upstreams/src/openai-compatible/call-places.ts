import { countOf, type Fields, fieldsOf, textOf } from "../conversation/fields.ts";
import { checkCallOrdinal } from "../response-limits.ts";

/**
 * Tells the tool calls of a streamed answer apart. OpenAI numbers them; vendors leave out the
 * number, give all the same, repeat id and name in every piece, or send an empty id.
 */
export class CallPlaces {
  readonly #calls: { readonly index: number | undefined; readonly id: string }[] = [];

  get size(): number {
    return this.#calls.length;
  }

  /**
   * The ordinal of the call that a piece belongs to.
   * @throws {UpstreamFailure} for more calls than any answer has
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
