import { unclassedFields } from "@uag/providers/passed-fields/check";
import type { FieldTable } from "@uag/providers/passed-fields/cost-class";
import { closest } from "./closest.ts";
import type { Fields } from "./nulls.ts";

/** Most fields that one header lists, and the longest name that it shows, characters. */
const maxShown = 8;
const maxLength = 60;

/** A request's fields, and the table of those that the gateway knows. */
export interface KnownFields {
  readonly sent: Fields;
  readonly known: FieldTable;
}

/**
 * The header that lists the fields of a request that the gateway does not know, alternating name
 * and value; empty when it knows all. Such fields do not fail a request: a provider may know them.
 */
export function warningHeaders({ sent, known }: KnownFields): readonly string[] {
  const unknown = unclassedFields(sent, known);
  if (unknown.length === 0) return [];
  const names = Object.keys(known).filter((name) => /^\w+$/.test(name) && !Object.hasOwn(sent, name));
  const shown = unknown.slice(0, maxShown).map((name) => shownField(name, closest(name, names)));
  const more = unknown.length > maxShown ? [`and ${unknown.length - maxShown} more`] : [];
  return ["x-gateway-warnings", `unknown fields: ${[...shown, ...more].join(", ")}`];
}

function shownField(name: string, meant: string | undefined): string {
  // A header has visible ASCII characters only.
  const ascii = name.slice(0, maxLength).replaceAll(/[^\x21-\x7e]/g, "?");
  const cut = name.length > maxLength ? `${ascii}...` : ascii;
  return meant === undefined ? cut : `${cut} (did you mean ${meant}?)`;
}
