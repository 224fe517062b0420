/** One event of a stream, without its sequence number. */
export interface OutputEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** How an item ended: incomplete when the response was cut off in it. */
export type ItemEnd = "completed" | "incomplete";

/** One item of a response's output, while it grows. */
export interface OutputItem {
  /** Its first event. */
  open(): OutputEvent;
  /** Its last events; it does not grow after them. */
  close(end: ItemEnd): OutputEvent[];
  /** As it is now. */
  readonly shown: object;
}

/** What an item's events have in common. */
export interface ItemPlace {
  readonly id: string;
  /** Its place in the output. */
  readonly index: number;
}

export const itemAdded = ({ index }: ItemPlace, item: object): OutputEvent => ({
  type: "response.output_item.added",
  output_index: index,
  item,
});

export const itemDone = ({ index }: ItemPlace, item: object): OutputEvent => ({
  type: "response.output_item.done",
  output_index: index,
  item,
});
