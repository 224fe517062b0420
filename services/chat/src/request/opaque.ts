/**
 * Members of a conversation that hold what is not ours: JSON schemas of tools and of answers, and
 * the arguments of calls.
 */
export const opaque: ReadonlySet<string> = new Set(["parameters", "schema", "input_schema", "input"]);
