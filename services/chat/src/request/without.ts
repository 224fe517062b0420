import type { Fields } from "@uag/pipeline/request/body";

/** The fields without those of these names; the same object when it has none of them. */
export function without(fields: Fields, names: readonly string[]): Fields {
  const found = names.filter((name) => name in fields);
  if (found.length === 0) return fields;
  const copy: Record<string, unknown> = { ...fields };
  for (const name of found) delete copy[name];
  return copy;
}
