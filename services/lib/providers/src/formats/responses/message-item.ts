import { type ItemEnd, type ItemPlace, itemAdded, itemDone, type OutputEvent, type OutputItem } from "./output-item.ts";

type PartKind = "output_text" | "refusal";

interface Part {
  readonly kind: PartKind;
  text: string;
  readonly logprobs: unknown[];
}

/** The assistant's message: text and refusals, a part for each run of either. */
export class MessageItem implements OutputItem {
  readonly #place: ItemPlace;
  readonly #maxLogprobs: number;
  readonly #parts: Part[] = [];
  #status: ItemEnd | "in_progress" = "in_progress";

  /** @param maxLogprobs a longer list of a part is only in its deltas, which keeps it out of memory */
  constructor(place: ItemPlace, maxLogprobs: number) {
    this.#place = place;
    this.#maxLogprobs = maxLogprobs;
  }

  get shown(): object {
    const content = this.#parts.map((part) => this.#shownPart(part));
    return { id: this.#place.id, type: "message", status: this.#status, role: "assistant", content };
  }

  open(): OutputEvent {
    return itemAdded(this.#place, this.shown);
  }

  /** @param logprobs those of the text's tokens */
  addText(kind: PartKind, text: string, logprobs: readonly unknown[] = []): OutputEvent[] {
    const events: OutputEvent[] = [];
    let part = this.#parts.at(-1);
    if (part?.kind !== kind) {
      events.push(...this.#partDone());
      part = { kind, text: "", logprobs: [] };
      this.#parts.push(part);
      events.push(this.#event("response.content_part.added", { part: this.#shownPart(part) }));
    }
    part.text += text;
    for (const one of logprobs) if (part.logprobs.length <= this.#maxLogprobs) part.logprobs.push(one);
    events.push(this.#event(`response.${kind}.delta`, { delta: text, ...(kind === "output_text" && { logprobs }) }));
    return events;
  }

  close(end: ItemEnd): OutputEvent[] {
    const events = this.#partDone();
    this.#status = end;
    return [...events, itemDone(this.#place, this.shown)];
  }

  #partDone(): OutputEvent[] {
    const part = this.#parts.at(-1);
    if (part === undefined) return [];
    const { kind, text } = part;
    const content = kind === "refusal" ? { refusal: text } : { text, logprobs: this.#shownLogprobs(part) };
    return [
      this.#event(`response.${kind}.done`, content),
      this.#event("response.content_part.done", { part: this.#shownPart(part) }),
    ];
  }

  #shownPart(part: Part): object {
    const { kind, text } = part;
    if (kind === "refusal") return { type: "refusal", refusal: text };
    return { type: "output_text", text, annotations: [], logprobs: this.#shownLogprobs(part) };
  }

  #shownLogprobs({ logprobs }: Part): unknown[] {
    // Copied, since events are written after the next text was added.
    return logprobs.length > this.#maxLogprobs ? [] : [...logprobs];
  }

  #event(type: string, fields: object): OutputEvent {
    const { id, index } = this.#place;
    return { type, item_id: id, output_index: index, content_index: this.#parts.length - 1, ...fields };
  }
}
