import type { Issue } from "../completions/issue.ts";

const roles = "['system', 'assistant', 'user', 'tool', 'function']";

function dotted(param: string): string {
  return param.replace(/\[(\d+)\]/g, ".$1");
}

function shown(value: unknown): string {
  return typeof value === "string" ? `'${value}'` : JSON.stringify(value);
}

/** DashScope's wording of an issue. */
export function qwenWording({ param, value, problem }: Issue): string {
  const where = dotted(param);
  switch (problem.kind) {
    case "missing":
      return `<400> InternalError.Algo.InvalidParameter: Field required: ${where}`;
    case "type":
      return `${shown(value)} is not of type '${problem.expected}' - '${where}'`;
    case "range":
      return `${shown(value)} is ${problem.side === "max" ? "greater than the maximum" : "less than the minimum"} of ${problem.limit} - '${where}'`;
    case "length":
      return `${Array.isArray(value) && value.length === 0 ? "[]" : shown(value)} is too ${problem.side === "max" ? "long" : "short"} - '${where}'`;
    case "value": {
      const supported = problem.supported.map((item) => `'${item}'`).join(", ");
      return `${shown(value)} is not one of ${where.endsWith(".role") ? roles : `[${supported}]`} - '${where}'`;
    }
    case "pattern":
      return `${shown(value)} does not match '${problem.pattern}' - '${where}'`;
    case "other":
      return `${problem.message} - '${where}'`;
  }
}
