import { isFields } from "../../conversation/fields.ts";

/** Members whose content is not Google's: arguments of functions, and schemas. */
export const opaqueMembers: ReadonlySet<string> = new Set([
  "args",
  "response",
  "parameters",
  "parametersJsonSchema",
  "responseSchema",
  "responseJsonSchema",
  "_responseJsonSchema",
]);

export const camelName = (name: string): string =>
  name.replaceAll(/[a-z0-9]_[a-z]/g, (found) => `${found[0]}${found[2]?.toUpperCase()}`);

/**
 * The value with its names in camel case: Google accepts `generation_config` for
 * `generationConfig`. The same object when nothing changes.
 * @throws what `twice` returns when an object has a name in both forms
 */
export function withCamelNames<T>(value: T, twice: (name: string) => Error): T {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withCamelNames(item, twice));
    return items.every((item, index) => item === value[index]) ? value : (items as T);
  }
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([given, item]) => {
    const name = camelName(given);
    if (name !== given && Object.hasOwn(value, name)) throw twice(name);
    return [name, opaqueMembers.has(name) ? item : withCamelNames(item, twice)] as const;
  });
  const isSame = entries.every(([name, item]) => Object.hasOwn(value, name) && value[name] === item);
  return isSame ? value : (Object.fromEntries(entries) as T);
}
