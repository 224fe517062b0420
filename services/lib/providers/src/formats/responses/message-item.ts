import { type ItemEnd, type ItemPlace, itemAdded, itemDone, type OutputEvent, type OutputItem } from "./output-item.ts";

type PartKind = "output_text" | "refusal";

interface Part {
  readonly kind: PartKind;
  text: string;
  readonly logprobs: unknown[];
}

const shownPart = ({ kind, text, logprobs }: Part): object =>
  kind === "refusal" ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [], logprobs };

/** The assistant's message: text and refusals, a part for each run of either. */
export class MessageItem implements OutputItem {
  readonly #place: ItemPlace;
  readonly #parts: Part[] = [];
  #status: ItemEnd | "in_progress" = "in_progress";

  constructor(place: ItemPlace) {
    this.#place = place;
  }

  get shown(): object {
    const content = this.#parts.map(shownPart);
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
      events.push(this.#event("response.content_part.added", { part: shownPart(part) }));
    }
    part.text += text;
    part.logprobs.push(...logprobs);
    events.push(this.#event(`response.${kind}.delta`, { delta: text, ...logprobsOf({ kind, logprobs }) }));
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
    const content = kind === "refusal" ? { refusal: text } : { text };
    return [
      this.#event(`response.${kind}.done`, { ...content, ...logprobsOf(part) }),
      this.#event("response.content_part.done", { part: shownPart(part) }),
    ];
  }

  #event(type: string, fields: object): OutputEvent {
    const { id, index } = this.#place;
    return { type, item_id: id, output_index: index, content_index: this.#parts.length - 1, ...fields };
  }
}

const logprobsOf = ({ kind, logprobs }: { kind: PartKind; logprobs: readonly unknown[] }): object =>
  kind === "output_text" ? { logprobs } : {};
