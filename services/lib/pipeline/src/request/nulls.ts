/** The members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Null is meaningful here: an assistant message with only tool calls. */
const meaningful = "content";

/**
 * A body without its null members: SDKs send null for omitted values. Returns the same objects
 * where nothing changes.
 * @param opaque members that are not inspected, because their content is not ours: JSON schemas,
 * tool arguments
 */
export function withoutNulls(fields: Fields, opaque: ReadonlySet<string>): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
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

/** A null in a list is kept: removing it would shift the other items. */
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
