/**
 * Whether a key may use a model. An empty list allows all; an entry may end in `*` (`gpt-4o*`).
 * @param allowed the key's list of model ids
 */
export function mayUse(allowed: readonly string[], model: string): boolean {
  if (allowed.length === 0) return true;
  return allowed.some((entry) => (entry.endsWith("*") ? model.startsWith(entry.slice(0, -1)) : entry === model));
}
