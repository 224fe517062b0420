import { readFileSync } from "node:fs";
import { z } from "zod";
import { defaultTrustDomain } from "./rpc/peer.ts";

/**
 * Thrown when the environment does not match a service's schema; its message has a line per invalid
 * variable.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * The value of a variable: its own, or the content of the file that `<NAME>_FILE` names (without
 * its final line break), as secrets are mounted. An empty variable counts as unset.
 * @throws {ConfigError} when both are set, or the file cannot be read
 */
export function settingIn(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name] || undefined;
  const file = env[`${name}_FILE`] || undefined;
  if (file === undefined) return value;
  if (value !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set`);
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new ConfigError(`${name}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/**
 * Reads a service's settings from the environment; each may be in a file, see {@link settingIn}.
 * @throws {ConfigError} naming each invalid variable and the reason, without its value (it may be a
 * secret).
 */
export function readConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv = process.env): z.infer<S> {
  const present: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = settingIn(env, name);
    if (value !== undefined) present[name] = value;
  }
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${issue.path.join(".")}: ${faultOf(issue)}`);
  throw new ConfigError(`Invalid settings:\n${lines.join("\n")}`);
}

/** What is wrong with a variable. Zod reports text that is not a number as NaN. */
function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== "invalid_type") return issue.message;
  return issue.message.endsWith("received undefined") ? "is required" : `must be a ${issue.expected}`;
}

/** `a:1, b:2` -> `["a:1", "b:2"]` */
export const commaList = z
  .string()
  .transform((text) => text.split(",").map((item) => item.trim()))
  .transform((items) => items.filter((item) => item !== ""));

/** The certificate a process presents to its peers, and the CA it trusts. See rpc/identity.ts. */
export const tlsSettings = {
  TLS: z
    .enum(["on", "off"])
    .default("on")
    .describe("Mutual TLS on all gRPC, both ways; with `off`, any client that reaches the process can call it."),
  TLS_CERT_FILE: z.string().min(1).optional().describe("The service's certificate, PEM; reloaded when it changes."),
  TLS_KEY_FILE: z.string().min(1).optional().describe("Its key, PEM."),
  TLS_CA_FILE: z.string().min(1).optional().describe("The CA of all services' certificates, PEM."),
  TLS_TRUST_DOMAINS: commaList
    .refine((domains) => domains.length > 0, "must name at least one trust domain")
    .default([defaultTrustDomain])
    .describe(
      "Peers' certificates must name a service of one of these trust domains: `spiffe://<trust domain>/<service>`.",
    ),
} as const;

const tls = z.object(tlsSettings);

/** The TLS settings as {@link readConfig} returns them. */
export type TlsSettings = z.infer<typeof tls>;

/** Settings of every process that serves HTTP to clients, or to the router for them. */
export const lingerSetting = {
  LINGER_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(3_000)
    .describe(
      "Time after SIGTERM during which requests are still accepted, milliseconds. Their responses close the connection, so that no request is cut.",
    ),
} as const;

/** Settings of every process. */
export const commonSettings = {
  HOST: z.string().default("127.0.0.1").describe("Address that the process listens on."),
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
    .describe("Minimum log level."),
  ...tlsSettings,
} as const;

/** How a service connects to the broker. See bus.ts. */
export const natsSettings = {
  NATS_URL: z
    .string()
    .min(1)
    .describe("NATS servers, comma-separated `nats://host:port`, or `tls://` for TLS by the system's CAs."),
  NATS_USER: z.string().min(1).optional().describe("User of NATS; its inboxes are below `_INBOX.<user>`."),
  NATS_PASSWORD: z.string().min(1).optional().describe("Password of that user."),
  NATS_CREDS: z
    .string()
    .min(1)
    .optional()
    .describe("In place of user and password: the content of a `.creds` file (JWT and key)."),
  NATS_CA_FILE: z.string().min(1).optional().describe("CA of the NATS servers, PEM: turns TLS on."),
  NATS_CERT_FILE: z.string().min(1).optional().describe("Client certificate for the NATS servers, PEM."),
  NATS_KEY_FILE: z.string().min(1).optional().describe("Its key, PEM."),
} as const;

const nats = z.object(natsSettings);

/** The NATS settings as {@link readConfig} returns them. */
export type NatsSettings = z.infer<typeof nats>;
