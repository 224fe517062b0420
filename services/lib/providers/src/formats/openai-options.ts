import { type Fields, fieldsOf, textOf } from "../conversation/fields.ts";
import { refusal } from "../conversation/refusal.ts";
import { type Effort, efforts, type ResponseFormat, type Thinking } from "../conversation/types.ts";

/**
 * The reasoning effort of OpenAI's formats.
 * @param param the field's name in the request
 * @throws {UpstreamFailure} `client` for an unknown one
 */
export function readEffort(value: unknown, param: string): Thinking | undefined {
  if (typeof value !== "string") return undefined;
  if (!(efforts as readonly string[]).includes(value)) {
    const supported = efforts.map((effort) => `'${effort}'`).join(", ");
    const text = `'${value.slice(0, 40)}' is not supported with this model. Supported values are: ${supported}.`;
    throw refusal(param, text);
  }
  return { on: value !== "none", effort: value as Effort, budget: undefined, shown: true };
}

/**
 * The response format of OpenAI's formats, which keep a schema and its name in different places.
 * @param described what has them
 */
export function readFormat(type: unknown, { name, description, schema, strict }: Fields): ResponseFormat {
  if (type === "json_object") return { kind: "json" };
  if (type !== "json_schema") return { kind: "text" };
  return {
    kind: "schema",
    name: textOf(name) ?? "answer",
    description: textOf(description),
    schema: fieldsOf(schema),
    strict: typeof strict === "boolean" ? strict : "where possible",
  };
}

/** Caches with another lifetime than the usual one have prices that no catalogue has. */
export function isUnpricedCache(options: unknown): boolean {
  const { ttl } = fieldsOf(options);
  return ttl !== undefined && ttl !== "30m";
}
