import type { Issue } from "./issue.ts";

export interface Wording {
  readonly message: string;
  readonly code: string;
}

const expectedNames: { readonly [type: string]: string } = {
  number: "a decimal",
  int: "an integer",
  string: "a string",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
  record: "an object",
};

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal number";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** `'a', 'b', and 'c'` */
export function listed(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  if (quoted.length < 3) return quoted.join(" and ");
  return `${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1)}`;
}

function rangeWording(issue: Issue, problem: Extract<Issue["problem"], { kind: "range" }>): Wording {
  const kind = problem.whole ? "integer" : "decimal";
  const [word, sign] = problem.side === "max" ? ["above maximum", "<="] : ["below minimum", ">="];
  return {
    message: `Invalid '${issue.param}': ${kind} ${word} value. Expected a value ${sign} ${problem.limit}, but got ${issue.value} instead.`,
    code: `${kind}_${problem.side === "max" ? "above_max" : "below_min"}_value`,
  };
}

function lengthWording(issue: Issue, problem: Extract<Issue["problem"], { kind: "length" }>): Wording {
  const { of, side, limit } = problem;
  const length = Array.isArray(issue.value) || typeof issue.value === "string" ? issue.value.length : 0;
  const article = of === "array" ? "an" : "a";
  if (length === 0) {
    return {
      message: `Invalid '${issue.param}': empty ${of}. Expected ${article} ${of} with minimum length ${limit}, but got an empty ${of} instead.`,
      code: `empty_${of}`,
    };
  }
  const [word, bound, code] =
    side === "max" ? ["too long", "maximum", "above_max"] : ["too short", "minimum", "below_min"];
  return {
    message: `Invalid '${issue.param}': ${of} ${word}. Expected ${article} ${of} with ${bound} length ${limit}, but got ${article} ${of} with length ${length} instead.`,
    code: `${of}_${code}_length`,
  };
}

/** OpenAI's wording of an issue. */
export function openAiWording(issue: Issue): Wording {
  const { param, value, problem } = issue;
  switch (problem.kind) {
    case "missing":
      return { message: `Missing required parameter: '${param}'.`, code: "missing_required_parameter" };
    case "type":
      if (value === null && param.endsWith(".content")) {
        return { message: "Invalid value for 'content': expected a string, got null.", code: "invalid_type" };
      }
      return {
        message: `Invalid type for '${param}': expected ${expectedNames[problem.expected] ?? problem.expected}, but got ${nameOf(value)} instead.`,
        code: "invalid_type",
      };
    case "range":
      return rangeWording(issue, problem);
    case "length":
      return lengthWording(issue, problem);
    case "value": {
      const supported = problem.supported.length > 0 ? ` Supported values are: ${listed(problem.supported)}.` : "";
      return { message: `Invalid value: '${value}'.${supported}`, code: "invalid_value" };
    }
    case "pattern":
      return {
        message: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${problem.pattern}'.`,
        code: "invalid_value",
      };
    case "other":
      return { message: `Invalid '${param}': ${problem.message}`, code: "invalid_value" };
  }
}
