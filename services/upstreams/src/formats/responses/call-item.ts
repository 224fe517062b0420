import { type ItemEnd, type ItemPlace, itemAdded, itemDone, type OutputEvent, type OutputItem } from "./output-item.ts";
import { type ClientTool, customText } from "./tools.ts";

/** A call of one of the client's tools. */
export interface ToolCall {
  readonly id: string;
  readonly tool: ClientTool;
}

const calledFields = ({ id, tool: { name, namespace } }: ToolCall): object => ({
  call_id: id,
  name,
  ...(namespace !== undefined && { namespace }),
});

/** A call of one of the client's functions. */
export class FunctionCallItem implements OutputItem {
  readonly #place: ItemPlace;
  readonly #called: ToolCall;
  #arguments = "";
  #status: ItemEnd | "in_progress" = "in_progress";

  constructor(place: ItemPlace, called: ToolCall) {
    this.#place = place;
    this.#called = called;
  }

  get shown(): object {
    const { id } = this.#place;
    return {
      id,
      type: "function_call",
      status: this.#status,
      ...calledFields(this.#called),
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
    const done = this.#event("done", { name: this.#called.tool.name, arguments: this.#arguments });
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
  readonly #called: ToolCall;
  #json = "";
  #input = "";
  #status: ItemEnd | "in_progress" = "in_progress";

  constructor(place: ItemPlace, called: ToolCall) {
    this.#place = place;
    this.#called = called;
  }

  get shown(): object {
    const { id } = this.#place;
    return { id, type: "custom_tool_call", status: this.#status, ...calledFields(this.#called), input: this.#input };
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
