import type { CallEvent, ResponseEvent } from "../../conversation/events.ts";
import type { GenerationCall } from "../../generation.ts";
import { type CallItem, CustomCallItem, FunctionCallItem } from "./call-item.ts";
import { MessageItem } from "./message-item.ts";
import type { ItemEnd, ItemPlace, OutputEvent, OutputItem } from "./output-item.ts";
import { ReasoningItem, reasoningPrefix } from "./reasoning-item.ts";
import { statusOf } from "./response-object.ts";
import { type ClientTool, specialTools } from "./tools.ts";

/**
 * A response's output: messages and reasoning follow one another, calls grow beside each other
 * until the response stops.
 */
export class ResponseOutput {
  readonly #requestId: string;
  readonly #special: ReadonlyMap<string, ClientTool>;
  readonly #items: OutputItem[] = [];
  readonly #calls = new Map<number, CallItem>();
  readonly #maxLogprobs: number;
  #open: MessageItem | ReasoningItem | undefined;

  /** @param maxLogprobs most log probabilities of a text that its item repeats */
  constructor(
    { requestId, fields }: Pick<GenerationCall, "requestId" | "fields">,
    maxLogprobs = Number.POSITIVE_INFINITY,
  ) {
    this.#maxLogprobs = maxLogprobs;
    this.#requestId = requestId;
    this.#special = specialTools(fields);
  }

  /** All items as they are now. */
  get items(): object[] {
    return this.#items.map(({ shown }) => shown);
  }

  /** Processes one event of the response; returns the events of the client's stream. */
  take(event: ResponseEvent): OutputEvent[] {
    switch (event.type) {
      case "text":
        return this.#addText("output_text", event.text, event.logprobs);
      case "refusal":
        return this.#addText("refusal", event.text);
      case "thinking": {
        const [item, opening] = this.#reasoning();
        return [...opening, ...item.think(event.text)];
      }
      case "signature": {
        const [item, opening] = this.#reasoning();
        item.seal({ thinking: item.text, signature: event.signature });
        return [...opening, ...this.#closeOpen()];
      }
      case "redacted": {
        const before = this.#closeOpen();
        const [item, opening] = this.#reasoning();
        item.seal({ redacted: event.data });
        return [...before, ...opening, ...this.#closeOpen()];
      }
      case "call":
        return [...this.#closeOpen(), ...this.#call(event)];
      case "input":
        return this.#calls.get(event.call)?.add(event.json) ?? [];
      case "stop":
        return this.#close(statusOf(event.reason));
      case "end":
        return this.#close("completed");
      default:
        return [];
    }
  }

  #addText(kind: "output_text" | "refusal", text: string, logprobs?: readonly unknown[]): OutputEvent[] {
    const current = this.#open;
    if (current instanceof MessageItem) return current.addText(kind, text, logprobs);
    const before = this.#closeOpen();
    const item = new MessageItem(this.#place("msg"), this.#maxLogprobs);
    const opening = this.#add(item);
    this.#open = item;
    return [...before, ...opening, ...item.addText(kind, text, logprobs)];
  }

  #reasoning(): [ReasoningItem, OutputEvent[]] {
    if (this.#open instanceof ReasoningItem) return [this.#open, []];
    const before = this.#closeOpen();
    const item = new ReasoningItem(this.#place(reasoningPrefix));
    this.#open = item;
    return [item, [...before, ...this.#add(item)]];
  }

  #call(called: CallEvent): OutputEvent[] {
    const tool = this.#special.get(called.name) ?? { name: called.name, namespace: undefined, custom: false };
    const call = { id: called.id, tool };
    const item = tool.custom
      ? new CustomCallItem(this.#place("ctc"), call)
      : new FunctionCallItem(this.#place("fc"), call);
    this.#calls.set(called.call, item);
    return this.#add(item);
  }

  #closeOpen(end: ItemEnd = "completed"): OutputEvent[] {
    const item = this.#open;
    this.#open = undefined;
    return item?.close(end) ?? [];
  }

  #close(end: ItemEnd): OutputEvent[] {
    const events = this.#closeOpen(end);
    for (const item of this.#calls.values()) events.push(...item.close(end));
    this.#calls.clear();
    return events;
  }

  #add(item: OutputItem): OutputEvent[] {
    this.#items.push(item);
    return [item.open()];
  }

  #place(prefix: string): ItemPlace {
    const index = this.#items.length;
    return { id: `${prefix}_${this.#requestId}_${index}`, index };
  }
}
