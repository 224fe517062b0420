/** Whether an entry of a key's list covers a model, or an entry like itself. */
export const covers = (entry: string, model: string): boolean =>
  entry.endsWith("*") ? model.startsWith(entry.slice(0, -1)) : entry === model;

/**
 * Whether a key may use a model. An empty list allows all; an entry may end in `*` (`gpt-4o*`).
 * @param allowed the key's list of model ids
 */
export function mayUse(allowed: readonly string[], model: string): boolean {
  return allowed.length === 0 || allowed.some((entry) => covers(entry, model));
}
