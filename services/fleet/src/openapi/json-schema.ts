import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * What a client may send, or will get, as a JSON schema. Objects are open: fields are added without
 * notice, and a client that was made from the document should not stumble over them.
 * @param options.closed leaves strict objects strict: where a field that nobody reads is refused
 */
export function jsonSchema(schema: z.ZodType, { closed = false } = {}): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema: node }) => {
      if (!closed && node.additionalProperties === false) delete node.additionalProperties;
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
      if (node.contentEncoding === "binary") delete node.contentEncoding;
    },
  });
  return rest;
}

export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
