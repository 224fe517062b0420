import { type Logger, pino } from "pino";

export type { Logger } from "pino";

/**
 * Creates a logger: one JSON line per event on standard output. Fields that may carry a secret are
 * redacted.
 */
export function createLogger(options: { service: string; level: string }): Logger {
  return pino({
    level: options.level,
    base: { service: options.service, pid: process.pid },
    redact: {
      paths: ["authorization", "*.authorization", "secret", "*.secret", "api_key", "*.api_key", "apiKey", "*.apiKey"],
      censor: "[redacted]",
    },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
}
