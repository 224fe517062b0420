import type { z } from "zod";

/** A validation error and its position; the wording is up to the provider. */
export interface Issue {
  /** E.g. `messages[0].content`; empty for the body itself. */
  readonly param: string;
  readonly value: unknown;
  readonly problem:
    | { readonly kind: "missing" }
    | { readonly kind: "type"; readonly expected: string }
    | { readonly kind: "range"; readonly side: "min" | "max"; readonly limit: number; readonly whole: boolean }
    | { readonly kind: "length"; readonly side: "min" | "max"; readonly limit: number; readonly of: "array" | "string" }
    | { readonly kind: "value"; readonly supported: readonly string[] }
    | { readonly kind: "pattern"; readonly pattern: string }
    | { readonly kind: "other"; readonly message: string };
}

type ZodIssue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

function paramOf(path: Path): string {
  return path.map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${String(key)}`)).join("");
}

function valueAt(body: unknown, path: Path): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

function closeness({ issue, path }: { issue: ZodIssue; path: Path }): number {
  return 2 * path.length + (issue.code === "invalid_type" ? 0 : 1);
}

// A value that matches no branch is reported by the branch that got furthest.
function deepest(issue: ZodIssue): { issue: ZodIssue; path: Path } {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return { issue, path: issue.path };
  const inner = issue.errors.flatMap((branch) => branch.slice(0, 1).map(deepest));
  const [first, ...others] = inner;
  if (first === undefined) return { issue, path: issue.path };
  let best = first;
  for (const other of others) if (closeness(other) > closeness(best)) best = other;
  return { issue: best.issue, path: [...issue.path, ...best.path] };
}

const roles = ["system", "assistant", "user", "function", "tool", "developer"];
const kinds: readonly { readonly at: RegExp; readonly supported: readonly string[] }[] = [
  { at: /\.role$/, supported: roles },
  {
    at: /^messages.*\.content\[\d+\]\.type$/,
    supported: ["text", "image_url", "input_audio", "refusal", "audio", "file"],
  },
  { at: /^response_format\.type$/, supported: ["json_object", "json_schema", "text"] },
  { at: /^(tools|messages).*\.type$/, supported: ["function", "custom"] },
];
const decimalFields = new Set(["temperature", "top_p", "presence_penalty", "frequency_penalty"]);

function problemOf(issue: ZodIssue, value: unknown, param: string): Issue["problem"] {
  if (value === undefined) return { kind: "missing" };
  switch (issue.code) {
    case "invalid_type":
      return { kind: "type", expected: issue.expected };
    case "too_small":
    case "too_big": {
      const side = issue.code === "too_small" ? "min" : "max";
      const limit = Number(issue.code === "too_small" ? issue.minimum : issue.maximum);
      if (issue.origin === "array") return { kind: "length", side, limit, of: "array" };
      if (issue.origin === "string") return { kind: "length", side, limit, of: "string" };
      return { kind: "range", side, limit, whole: !decimalFields.has(param) };
    }
    case "invalid_value":
      return { kind: "value", supported: issue.values.map(String) };
    case "invalid_format":
      return { kind: "pattern", pattern: "pattern" in issue ? String(issue.pattern).slice(1, -1) : issue.format };
    case "invalid_union":
      return { kind: "value", supported: kinds.find(({ at }) => at.test(param))?.supported ?? [] };
    default:
      return { kind: "other", message: issue.message };
  }
}

/** The first validation error, from those that zod found in the body. */
export function firstIssue(error: z.ZodError, body: unknown): Issue {
  const [first] = error.issues;
  if (first === undefined) return { param: "", value: body, problem: { kind: "other", message: "invalid request" } };
  const { issue, path } = deepest(first);
  const value = valueAt(body, path);
  const param = paramOf(path);
  return { param, value, problem: problemOf(issue, value, param) };
}
