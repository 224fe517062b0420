import { type Logger, pino } from "pino";

/** A line of a captured log: pino's fields, and those of the event. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A logger that keeps its lines of level `warn` and above. */
export function capturedLog(): { readonly log: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const log = pino({ level: "warn" }, { write: (line) => void lines.push(JSON.parse(line) as LogLine) });
  return { log, lines };
}
