import { covers, mayUse } from "@uag/catalog/access";

/** A list that no model is in, as no id begins like this: an empty list means all models. */
const none: readonly string[] = ["!none"];

/** Whether each entry allows only models that `allowed` allows too; entries may end in `*`. */
export function isWithin(entries: readonly string[], allowed: readonly string[]): boolean {
  return entries.every((entry) => mayUse(allowed, entry));
}

/** The entries of models that both lists allow. An empty list allows all. */
export function narrowedModels(own: readonly string[], allowed: readonly string[]): string[] {
  if (allowed.length === 0) return [...own];
  if (own.length === 0) return [...allowed];
  const both = own.flatMap((entry) =>
    allowed.flatMap((other) => {
      if (covers(other, entry)) return [entry];
      return covers(entry, other) ? [other] : [];
    }),
  );
  return both.length === 0 ? [...none] : [...new Set(both)];
}
