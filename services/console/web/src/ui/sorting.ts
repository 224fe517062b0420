import type { SortingState } from "@tanstack/react-table";

/** How an address says by what a table is sorted: `name` or `-name`. */
export function sortText([first]: SortingState): string | undefined {
  return first && `${first.desc ? "-" : ""}${first.id}`;
}

/** What an address says of it, as the table takes it. */
export function sortingOf(text: string | undefined): SortingState {
  if (text === undefined) return [];
  return [{ id: text.replace(/^-/, ""), desc: text.startsWith("-") }];
}
