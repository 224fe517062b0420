import { z } from "zod";

/** Raised when the environment does not fit a service's schema; its message has a line per variable at fault. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * Reads a service's settings from the environment. An empty variable counts as unset.
 * @throws {ConfigError} naming each variable and what is wrong with it, without its value (it may be a secret).
 */
export function readConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv = process.env): z.infer<S> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new ConfigError(`The environment is not complete:\n${lines.join("\n")}`);
}

/** `a:1, b:2` -> `["a:1", "b:2"]` */
export const commaList = z
  .string()
  .transform((text) => text.split(",").map((item) => item.trim()))
  .transform((items) => items.filter((item) => item !== ""));

/** What a process shows to its peers, and what it believes them by. See rpc/identity.ts. */
export const tlsSettings = {
  TLS: z
    .enum(["on", "off"])
    .default("on")
    .describe("Mutual TLS on all gRPC, both ways; `off` lets whoever reaches the process call it."),
  TLS_CERT_FILE: z.string().min(1).optional().describe("This service's certificate, PEM; read again when it changes."),
  TLS_KEY_FILE: z.string().min(1).optional().describe("Its key, PEM."),
  TLS_CA_FILE: z.string().min(1).optional().describe("The CA of all services' certificates, PEM."),
} as const;

const tls = z.object(tlsSettings);

export type TlsSettings = z.infer<typeof tls>;

/** Settings that every process has. */
export const commonSettings = {
  HOST: z.string().default("127.0.0.1").describe("Address the process listens on."),
  ADMIN_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(0)
    .describe("Port of health and metrics; 0 picks a free one."),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("Least level that is logged."),
  ...tlsSettings,
} as const;
