/** The members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Null has a meaning of its own there: an assistant's message that has only calls of tools. */
const meaningful = "content";

/**
 * A body without its members that are null: SDKs send null for what was left out. Answers the very
 * same objects where nothing changes.
 * @param opaque members that are not looked into, because what is in them is not ours: JSON
 * schemas, arguments of tools
 */
export function withoutNulls(fields: Fields, opaque: ReadonlySet<string>): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(fields)) {
    if (value === null && name !== meaningful) {
      copy ??= { ...fields };
      delete copy[name];
    } else if (!opaque.has(name)) {
      const clean = cleaned(value, opaque);
      if (clean === value) continue;
      copy ??= { ...fields };
      copy[name] = clean;
    }
  }
  return copy ?? fields;
}

/** A null in a list stays: without it the others would have other places. */
function cleaned(value: unknown, opaque: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) return withoutNulls(value as Fields, opaque);
  let items: unknown[] | undefined;
  for (const [place, item] of value.entries()) {
    const clean = cleaned(item, opaque);
    if (clean === item) continue;
    items ??= [...value];
    items[place] = clean;
  }
  return items ?? value;
}
