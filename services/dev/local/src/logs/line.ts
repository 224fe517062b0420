import { styleText } from "node:util";
import { z } from "zod";

const record = z.looseObject({
  level: z.number(),
  time: z.string(),
  msg: z.string().optional(),
  method: z.string().optional(),
  path: z.string().optional(),
  status: z.number().optional(),
  duration_ms: z.number().optional(),
});
type LogRecord = z.infer<typeof record>;

const levels: readonly (readonly [level: number, name: string, style: "red" | "yellow" | "green" | "gray"])[] = [
  [50, "error", "red"],
  [40, "warn", "yellow"],
  [30, "info", "green"],
  [0, "debug", "gray"],
];
/** Fields already shown in the line, or identical on each line of a service. */
const omitted = new Set(["level", "time", "msg", "service", "pid", "method", "path", "status", "duration_ms"]);
const maxValueLength = 300;

function restOf(line: LogRecord): string {
  const rest = Object.entries(line).filter(([name, value]) => !omitted.has(name) && value !== undefined);
  return rest
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return ` ${styleText("gray", `${name}=`)}${text.slice(0, maxValueLength)}`;
    })
    .join("");
}

function statusStyle(status: number): "red" | "yellow" | "green" {
  if (status >= 500) return "red";
  return status >= 400 ? "yellow" : "green";
}

/** Undefined for a line that is not from a service. */
function parsed(text: string): LogRecord | undefined {
  try {
    return record.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const clockOf = (line: LogRecord): string => styleText("gray", line.time.slice(11, 23));

/**
 * `12:00:01.123 POST /v1/messages 200 35 ms …`; undefined for a line without a request.
 */
export function requestLine(text: string): string | undefined {
  const line = parsed(text);
  if (line?.method === undefined || line.status === undefined) return undefined;
  const status = styleText(statusStyle(line.status), String(line.status));
  return `${clockOf(line)} ${line.method} ${line.path} ${status} ${line.duration_ms} ms${restOf(line)}`;
}

/**
 * Formats a line of a service's log for people; a line that is not one of our records, such as a
 * stack trace, stays unchanged.
 */
export function readable(text: string): string {
  const line = parsed(text);
  if (line === undefined) return text;
  const request = requestLine(text);
  if (request !== undefined) return request;
  const [, name, style] = levels.find(([min]) => line.level >= min) ?? [0, "info", "green"];
  return `${clockOf(line)} ${styleText(style, name.padEnd(5))} ${line.msg ?? ""}${restOf(line)}`;
}
