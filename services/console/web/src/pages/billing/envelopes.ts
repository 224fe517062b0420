import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import type { EnvelopeWithCosts } from "../../api/types.ts";

export const envelopePath = (id: string): string => `/admin/v1/envelopes/${encodeURIComponent(id)}`;

/** An envelope with the costs of its run. */
export const envelopeQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ["billing", "envelope", id],
    queryFn: ({ signal }) => call<EnvelopeWithCosts>(envelopePath(id ?? ""), { signal }),
    enabled: id !== undefined,
  });

interface Nested {
  readonly id: string;
  readonly parent: string | null;
}

/** An envelope at its place in a tree. */
export interface Placed<T> {
  readonly of: T;
  /** The number of listed envelopes that it is within. */
  readonly depth: number;
}

/** Envelopes in the order of a tree: after each, those within it. One whose parent is not listed is at the top. */
export function inTree<T extends Nested>(envelopes: readonly T[]): Placed<T>[] {
  const listed = new Set(envelopes.map(({ id }) => id));
  const byParent = Map.groupBy(envelopes, ({ parent }) => (parent !== null && listed.has(parent) ? parent : null));
  const under = (parent: string | null, depth: number): Placed<T>[] =>
    (byParent.get(parent) ?? []).flatMap((of) => [{ of, depth }, ...under(of.id, depth + 1)]);
  return under(null, 0);
}
