import { type ItemEnd, type ItemPlace, itemAdded, itemDone, type OutputEvent, type OutputItem } from "./output-item.ts";
import { type ClientTool, customText } from "./tools.ts";

/** A call of one of the client's tools. */
export interface ToolCall {
  readonly id: string;
  readonly tool: ClientTool;
}

interface CallKind {
  readonly type: string;
  /** The field with the text of the call; the type of its events ends with it. */
  readonly field: "arguments" | "input";
}

/** A call of a tool, which the model writes as JSON. */
export abstract class CallItem implements OutputItem {
  protected readonly called: ToolCall;
  /** What clients get to see of the call's text so far. */
  protected text = "";
  readonly #place: ItemPlace;
  readonly #kind: CallKind;
  #status: ItemEnd | "in_progress" = "in_progress";

  constructor(place: ItemPlace, called: ToolCall, kind: CallKind) {
    this.#place = place;
    this.called = called;
    this.#kind = kind;
  }

  get shown(): object {
    const { type, field } = this.#kind;
    const { name, namespace } = this.called.tool;
    return {
      id: this.#place.id,
      type,
      status: this.#status,
      call_id: this.called.id,
      name,
      ...(namespace !== undefined && { namespace }),
      [field]: this.text,
    };
  }

  open(): OutputEvent {
    return itemAdded(this.#place, this.shown);
  }

  /** Takes more of the call's JSON. */
  abstract add(json: string): OutputEvent[];

  close(end: ItemEnd): OutputEvent[] {
    const last = this.finish();
    this.#status = end;
    return [...last, itemDone(this.#place, this.shown)];
  }

  /** Completes the text; returns its last events. */
  protected abstract finish(): OutputEvent[];

  protected delta(text: string): OutputEvent {
    this.text += text;
    return this.#event("delta", { delta: text });
  }

  protected done(fields: object): OutputEvent {
    return this.#event("done", { ...fields, [this.#kind.field]: this.text });
  }

  #event(what: "delta" | "done", fields: object): OutputEvent {
    const { type, field } = this.#kind;
    const { id, index } = this.#place;
    return { type: `response.${type}_${field}.${what}`, item_id: id, output_index: index, ...fields };
  }
}

/** A call of one of the client's functions. */
export class FunctionCallItem extends CallItem {
  constructor(place: ItemPlace, called: ToolCall) {
    super(place, called, { type: "function_call", field: "arguments" });
  }

  override add(json: string): OutputEvent[] {
    return [this.delta(json)];
  }

  protected override finish(): OutputEvent[] {
    // Clients parse the arguments, so a call without any gets an empty object.
    const empty = this.text === "" ? this.add("{}") : [];
    return [...empty, this.done({ name: this.called.tool.name })];
  }
}

/**
 * A call of one of the client's custom tools. Its text is known only when the JSON around it is
 * complete.
 */
export class CustomCallItem extends CallItem {
  #json = "";

  constructor(place: ItemPlace, called: ToolCall) {
    super(place, called, { type: "custom_tool_call", field: "input" });
  }

  override add(json: string): OutputEvent[] {
    this.#json += json;
    return [];
  }

  protected override finish(): OutputEvent[] {
    return [this.delta(customText(this.#json)), this.done({})];
  }
}
