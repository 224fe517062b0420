import type { z } from "zod";

type Issue = z.core.$ZodIssue;

function at(path: readonly PropertyKey[]): string {
  return path.map(String).join(".");
}

function closeness(issue: Issue): number {
  return 2 * issue.path.length + (issue.code === "invalid_type" ? 0 : 1);
}

// A value that matches no branch is reported by the branch that got furthest.
function deepest(issue: Issue, above: readonly PropertyKey[] = []): { issue: Issue; path: PropertyKey[] } {
  const path = [...above, ...issue.path];
  if (issue.code !== "invalid_union") return { issue, path };
  const inner = issue.errors.flatMap((branch) => branch.slice(0, 1)).sort((a, b) => closeness(b) - closeness(a));
  return inner[0] === undefined ? { issue, path } : deepest(inner[0], path);
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    return typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
  }, body);
}

const nouns: { readonly [type: string]: string } = {
  string: "a valid string",
  number: "a valid number",
  int: "a valid integer",
  array: "a valid list",
  object: "a valid dictionary",
  record: "a valid dictionary",
  boolean: "a valid boolean",
};

/** The validation error in Anthropic's format: the path with dots, then what was expected. */
export function anthropicWording(error: z.ZodError, body: unknown): string {
  const [first] = error.issues;
  if (first === undefined) return "Invalid request";
  const { issue, path } = deepest(first);
  const where = at(path);
  if (valueAt(body, path) === undefined && issue.code !== "unrecognized_keys") return `${where}: Field required`;
  switch (issue.code) {
    case "unrecognized_keys":
      return `${at([...path, issue.keys[0] ?? ""])}: Extra inputs are not permitted`;
    case "invalid_type":
      return `${where}: Input should be ${nouns[issue.expected] ?? issue.expected}`;
    case "too_small":
      if (issue.origin === "array" && where === "messages") return "messages: at least one message is required";
      if (issue.origin === "string") return `${where}: String should have at least ${issue.minimum} character`;
      return `${where}: Input should be greater than or equal to ${issue.minimum}`;
    case "too_big":
      if (issue.origin === "string") return `${where}: String should have at most ${issue.maximum} characters`;
      return `${where}: Input should be less than or equal to ${issue.maximum}`;
    case "invalid_value": {
      const values = issue.values.map((value) => `'${String(value)}'`);
      return `${where}: Input should be ${values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`}`;
    }
    case "invalid_format":
      return `${where}: String should match pattern '${"pattern" in issue ? String(issue.pattern).slice(1, -1) : issue.format}'`;
    case "invalid_union":
      return `${where}: Input tag '${String(valueAt(body, path))}' found using 'type' does not match any of the expected tags`;
    default:
      return `${where}: ${issue.message}`;
  }
}
