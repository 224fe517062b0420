/**
 * Members of a conversation with foreign content: JSON schemas of tools and responses, and tool
 * call arguments.
 */
export const opaque: ReadonlySet<string> = new Set(["parameters", "schema", "input_schema", "input"]);
