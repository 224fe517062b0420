import type { ResponseEvent, TextEvent } from "../conversation/events.ts";
import type { CutLists } from "../reading/cut-lists.ts";

interface GrowingText extends TextEvent {
  text: string;
  logprobs?: unknown[];
}

/**
 * The events of a complete stream. Texts that follow one another are one event: a stream has one
 * for each token, up to tens of thousands.
 */
export class CollectedEvents {
  readonly #events: ResponseEvent[] = [];
  readonly #lists: CutLists | undefined;
  #text: GrowingText | undefined;
  /** Log probabilities of {@link #text}, as pieces of JSON. */
  #entries: Buffer[] = [];

  /** @param lists receives the log probabilities; undefined: the events keep them */
  constructor(lists?: CutLists) {
    this.#lists = lists;
  }

  get all(): ResponseEvent[] {
    return this.#events;
  }

  add(event: ResponseEvent): void {
    if (event.type === "text") {
      this.#addText(event);
      return;
    }
    this.#events.push(event);
    if (event.type !== "usage" && event.type !== "idle") this.#text = undefined;
  }

  #addText({ candidate, text, logprobs = [] }: TextEvent): void {
    if (this.#text?.candidate !== candidate) {
      this.#text = { type: "text", candidate, text: "" };
      this.#entries = [];
      this.#events.push(this.#text);
    }
    this.#text.text += text;
    if (logprobs.length === 0) return;
    if (this.#lists === undefined) {
      this.#text.logprobs ??= [];
      for (const each of logprobs) this.#text.logprobs.push(each);
      return;
    }
    this.#text.logprobs ??= [this.#lists.add(this.#entries)];
    const entries = JSON.stringify(logprobs).slice(1, -1);
    this.#entries.push(Buffer.from(this.#entries.length > 0 ? `,${entries}` : entries));
  }
}
