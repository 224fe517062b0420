import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { inputItemsQuery } from "@uag/contract/requests/queries";
import { editMembers, listOfElements, topLevelMembers } from "@uag/providers/json-edit";
import type { z } from "zod";
import type { StoredTurn } from "./document.ts";
import { itemId, listIn, memberOf } from "./items.ts";

interface Item {
  readonly id: string;
  /** Raw. */
  readonly item: Buffer;
}

/**
 * A page of the items that the last of these responses responds to: all of the earlier ones, and its
 * request's own.
 * @throws {GatewayError} `invalid_request` for a page after an item that is none of them
 */
export function inputPage(
  turns: readonly StoredTurn[],
  { limit, order, after }: z.infer<typeof inputItemsQuery>,
): Buffer {
  const items = turns.flatMap((turn, index) => [
    ...identified(turn.id, listIn(turn.input)),
    ...(index === turns.length - 1 ? [] : identified(`${turn.id}_output`, listIn(memberOf(turn.response, "output")))),
  ]);
  const ordered = order === "asc" ? items : items.reverse();
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0)
    throw new GatewayError("invalid_request", "after: must be the id of an item of this response.", { param: "after" });
  const page = ordered.slice(start, start + limit);
  const list = {
    object: "list",
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: start + limit < ordered.length,
  };
  const bytes = Buffer.from(JSON.stringify(list));
  const data = listOfElements(page.map(({ item }) => item));
  return editMembers(bytes, topLevelMembers(bytes), new Map([["data", data]]));
}

/** Clients send most items without an id; each item of a list has one. */
function identified(place: string, items: readonly Buffer[]): Item[] {
  return items.map((item, index) => {
    const own = itemId(item);
    if (own !== undefined) return { id: own, item };
    const id = `item_${place.replace(/^resp_/, "")}_${index}`;
    return { id, item: editMembers(item, topLevelMembers(item), new Map([["id", JSON.stringify(id)]])) };
  });
}
