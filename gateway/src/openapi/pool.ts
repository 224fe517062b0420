import type { JsonSchema } from "./json-schema.ts";

export interface Pool {
  /** Returns a reference to the value, which is stored once however often it is used. */
  ref(name: string, value: JsonSchema): JsonSchema;
  readonly components: JsonSchema;
}

/** Components of one kind. Different values under the same name get distinct numbers. */
export function openPool(kind: string): Pool {
  const names = new Map<string, string>();
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    ref(wanted, value) {
      const text = JSON.stringify(value);
      let name = names.get(text);
      if (name === undefined) {
        name = wanted;
        for (let next = 2; name in components; next++) name = `${wanted}_${next}`;
        names.set(text, name);
        components[name] = value;
      }
      return { $ref: `#/components/${kind}/${name}` };
    },
  };
}
