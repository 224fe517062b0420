import type { CallEvent } from "../../conversation/events.ts";
import { type ItemEnd, type ItemPlace, itemAdded, itemDone, type OutputEvent, type OutputItem } from "./output-item.ts";
import { customText } from "./tools.ts";

/** A call of one of the client's functions. */
export class FunctionCallItem implements OutputItem {
  readonly #place: ItemPlace;
  readonly #called: CallEvent;
  #arguments = "";
  #status: ItemEnd | "in_progress" = "in_progress";

  constructor(place: ItemPlace, called: CallEvent) {
    this.#place = place;
    this.#called = called;
  }

  get shown(): object {
    const { id, name } = this.#called;
    return {
      id: this.#place.id,
      type: "function_call",
      status: this.#status,
      call_id: id,
      name,
      arguments: this.#arguments,
    };
  }

  open(): OutputEvent {
    return itemAdded(this.#place, this.shown);
  }

  add(json: string): OutputEvent[] {
    this.#arguments += json;
    return [this.#event("delta", { delta: json })];
  }

  close(end: ItemEnd): OutputEvent[] {
    // Clients parse the arguments, so a call without any gets an empty object.
    const empty = this.#arguments === "" ? this.add("{}") : [];
    this.#status = end;
    const done = this.#event("done", { name: this.#called.name, arguments: this.#arguments });
    return [...empty, done, itemDone(this.#place, this.shown)];
  }

  #event(type: string, fields: object): OutputEvent {
    const { id, index } = this.#place;
    return { type: `response.function_call_arguments.${type}`, item_id: id, output_index: index, ...fields };
  }
}

/**
 * A call of one of the client's custom tools. Its text is known only when the JSON around it is
 * complete.
 */
export class CustomCallItem implements OutputItem {
  readonly #place: ItemPlace;
  readonly #called: CallEvent;
  #json = "";
  #input = "";
  #status: ItemEnd | "in_progress" = "in_progress";

  constructor(place: ItemPlace, called: CallEvent) {
    this.#place = place;
    this.#called = called;
  }

  get shown(): object {
    const { id, name } = this.#called;
    return {
      id: this.#place.id,
      type: "custom_tool_call",
      status: this.#status,
      call_id: id,
      name,
      input: this.#input,
    };
  }

  open(): OutputEvent {
    return itemAdded(this.#place, this.shown);
  }

  add(json: string): OutputEvent[] {
    this.#json += json;
    return [];
  }

  close(end: ItemEnd): OutputEvent[] {
    this.#input = customText(this.#json);
    this.#status = end;
    return [
      this.#event("delta", { delta: this.#input }),
      this.#event("done", { input: this.#input }),
      itemDone(this.#place, this.shown),
    ];
  }

  #event(type: string, fields: object): OutputEvent {
    const { id, index } = this.#place;
    return { type: `response.custom_tool_call_input.${type}`, item_id: id, output_index: index, ...fields };
  }
}
