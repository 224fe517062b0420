import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON schema of a request or response. Objects are open: fields are added without notice, and
 * clients generated from the document should tolerate them.
 * @param options.closed keeps strict objects strict: where unknown fields are rejected
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
