import { type SealedThinking, sealThinking } from "../../conversation/sealed-thinking.ts";
import { type ItemPlace, itemAdded, itemDone, type OutputEvent, type OutputItem } from "./output-item.ts";

/** How the id of a reasoning item begins. */
export const reasoningPrefix = "rs";

/**
 * The model's reasoning, as far as its provider reveals it, and what the provider needs to get
 * back.
 */
export class ReasoningItem implements OutputItem {
  readonly #place: ItemPlace;
  #text = "";
  #sealed: string | undefined;

  constructor(place: ItemPlace) {
    this.#place = place;
  }

  get text(): string {
    return this.#text;
  }

  get shown(): object {
    const summary = this.#text === "" ? [] : [summaryText(this.#text)];
    return {
      id: this.#place.id,
      type: "reasoning",
      summary,
      ...(this.#sealed !== undefined && { encrypted_content: this.#sealed }),
    };
  }

  open(): OutputEvent {
    return itemAdded(this.#place, this.shown);
  }

  think(text: string): OutputEvent[] {
    if (text === "") return [];
    const opening = this.#text === "" ? [this.#event("part.added", { part: summaryText("") })] : [];
    this.#text += text;
    return [...opening, this.#event("text.delta", { delta: text })];
  }

  seal(thinking: SealedThinking): void {
    this.#sealed = sealThinking(thinking);
  }

  close(): OutputEvent[] {
    // A provider without signatures gets the text itself back.
    if (this.#sealed === undefined && this.#text !== "") this.seal({ thinking: this.#text, signature: "" });
    const done = itemDone(this.#place, this.shown);
    if (this.#text === "") return [done];
    const part = summaryText(this.#text);
    return [this.#event("text.done", { text: this.#text }), this.#event("part.done", { part }), done];
  }

  #event(type: string, fields: object): OutputEvent {
    const { id, index } = this.#place;
    return {
      type: `response.reasoning_summary_${type}`,
      item_id: id,
      output_index: index,
      summary_index: 0,
      ...fields,
    };
  }
}

const summaryText = (text: string): object => ({ type: "summary_text", text });
