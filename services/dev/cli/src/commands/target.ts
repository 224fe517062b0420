import { operatorClient } from "@uag/local/operator";
import type { Run } from "@uag/local/run-file";
import { UserError } from "@uag/local/terminal/step";
import { type NatsSettings, natsSettings, readConfig, tlsSettings } from "@uag/runtime/config";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { identityFrom } from "@uag/runtime/rpc/identity";
import { z } from "zod";
import { readRunningFleet } from "./options.ts";

type Definition = Parameters<typeof operatorClient>[2];

/** The gateway that a command operates on. */
export interface Target {
  /** Base URL of the admin API. */
  readonly admin_url: string;
  readonly admin: { readonly token: string };
  /** The account of commands without `--account`; undefined: they need the option. */
  readonly accountId: string | undefined;
  readonly mongodbUrl: string | undefined;
  readonly nats: NatsSettings | undefined;
  /** Calls a service over gRPC as the operator. @throws {UserError} when its address is not set */
  client<S>(service: "billing" | "metering", definition: Definition): RpcClient<S>;
  /** The fleet on this machine; undefined for a gateway elsewhere. */
  readonly run: Run | undefined;
}

const optional = z.string().min(1).optional();

/** Settings of commands for a gateway elsewhere. */
const targetSettings = {
  ADMIN_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Base URL of the admin API, as `http://host:9464/admin/v1`."),
  ADMIN_TOKEN: optional.describe("A token of the admin API. Required with ADMIN_URL."),
  BILLING_ADDR: optional.describe("Billing's gRPC server, as `host:port`."),
  METERING_ADDR: optional.describe("Metering's gRPC server, as `host:port`."),
  TLS_CERT_FILE: optional.describe("The certificate of `operator` for these, PEM."),
  TLS_KEY_FILE: optional.describe("Its key, PEM."),
  TLS_CA_FILE: optional.describe("The CA of the services' certificates, PEM."),
  TLS_TRUST_DOMAINS: tlsSettings.TLS_TRUST_DOMAINS,
  MONGODB_URL: optional.describe("MongoDB, for `reconcile`: as the auditor's user."),
  ...natsSettings,
  NATS_URL: optional.describe("NATS servers, for `dead-letters replay`."),
} as const;

const schema = z.object(targetSettings);
type Settings = z.infer<typeof schema>;

/** The target's value, or the error that names the setting that a command needs. */
export function needed<T>(value: T | undefined, setting: string): T {
  if (value === undefined) throw new UserError(`This command needs ${setting}. Set it in the environment.`);
  return value;
}

function localTarget(run: Run): Target {
  const { nats_url: NatsUrl, nats_user: NatsUser, nats_password: NatsPassword } = run;
  return {
    admin_url: run.admin_url,
    admin: run.admin,
    accountId: run.account_id,
    mongodbUrl: run.mongodb_url,
    nats: { NATS_URL: NatsUrl, NATS_USER: NatsUser, NATS_PASSWORD: NatsPassword },
    client: (service, definition) => operatorClient(run, service, definition),
    run,
  };
}

function remoteTarget(url: string, settings: Settings): Target {
  const { NATS_URL } = settings;
  return {
    admin_url: url.replace(/(?<!\/)\/+$/, ""),
    admin: { token: needed(settings.ADMIN_TOKEN, "ADMIN_TOKEN or ADMIN_TOKEN_FILE") },
    accountId: undefined,
    mongodbUrl: settings.MONGODB_URL,
    nats: NATS_URL === undefined ? undefined : { ...settings, NATS_URL },
    client(service, definition) {
      const [address, setting] =
        service === "billing" ? [settings.BILLING_ADDR, "BILLING_ADDR"] : [settings.METERING_ADDR, "METERING_ADDR"];
      const files = {
        cert: needed(settings.TLS_CERT_FILE, "TLS_CERT_FILE"),
        key: needed(settings.TLS_KEY_FILE, "TLS_KEY_FILE"),
        ca: needed(settings.TLS_CA_FILE, "TLS_CA_FILE"),
      };
      const identity = identityFrom(files, { trustDomains: settings.TLS_TRUST_DOMAINS });
      return createRpcClient(definition, needed(address, setting), identity);
    },
    run: undefined,
  };
}

/**
 * The gateway at ADMIN_URL, if it is set, else the fleet that runs on this machine.
 * @throws {UserError} without either
 */
export async function readTarget(): Promise<Target> {
  if (!process.env["ADMIN_URL"]) return localTarget(await readRunningFleet());
  const settings = readConfig(schema);
  return remoteTarget(settings.ADMIN_URL as string, settings);
}

/** The account of a command: `--account`, or that of the fleet on this machine. @throws {UserError} */
export function accountIn({ accountId }: Target, option: string | undefined): string {
  const account = option ?? accountId;
  if (account === undefined) throw new UserError("--account is missing: accounts list shows the ids.");
  return account;
}
