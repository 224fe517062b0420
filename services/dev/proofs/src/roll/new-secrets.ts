import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { mongoAccess } from "@uag/local/engines/mongo-users";
import { MongoClient } from "mongodb";

/** The three rolls that replace a secret: see infra/README.md. */
export type Phase = "accept" | "use" | "forget";

/** Secrets that have a `<NAME>_PREVIOUS`. */
const succeeded = [
  "KEY_PEPPER",
  "ANSWER_KEY",
  "ASSETS_SECRET",
  "WEBHOOK_KEY",
  "CREDENTIAL_KEY",
  "RECEIPT_KEY",
  "AUDIT_KEY",
  "ADMIN_TOKEN",
  "CONSOLE_ADMIN_TOKEN",
] as const;

/** Secrets whose signatures and ciphertexts are valid for a day, which must be kept for that long. */
const lasting: readonly string[] = ["ANSWER_KEY", "ASSETS_SECRET"];

type Environment = Readonly<Record<string, string>>;

/** A service's second user in an engine; its name starts with the service's, as its NATS inboxes do. */
const secondOf = (service: string): string => `${service}.b`;

const newSecret = (): string => randomBytes(32).toString("hex");

/** New values of a fleet's secrets, and each process's environment in each roll. */
export class NewSecrets {
  readonly #made = new Map<string, string>();

  /** Shared by all processes that use it. */
  of(name: string): string {
    const made = this.#made.get(name) ?? newSecret();
    this.#made.set(name, made);
    return made;
  }

  /** @param env the service's initial environment */
  settingsFor(service: string, env: Environment, phase: Phase): Record<string, string> {
    const settings: Record<string, string> = {};
    for (const name of succeeded) {
      const old = env[name];
      if (old === undefined) continue;
      const fresh = this.of(name);
      settings[name] = phase === "accept" ? old : fresh;
      settings[`${name}_PREVIOUS`] = { accept: fresh, use: old, forget: lasting.includes(name) ? old : "" }[phase];
    }
    return { ...settings, ...this.#usageKeys(service, env, phase), ...this.#engines(service, env, phase) };
  }

  #usageKeys(service: string, env: Environment, phase: Phase): Record<string, string> {
    const fresh = (publisher: string): string => this.of(`USAGE_MAC_KEY of ${publisher}`);
    const known = env["USAGE_MAC_KEYS"];
    if (known !== undefined) {
      const pairs = known.split(",");
      const renewed = pairs.map((pair) => pair.split(":", 1)[0] ?? "").map((name) => `${name}:${fresh(name)}`);
      return { USAGE_MAC_KEYS: (phase === "forget" ? renewed : [...pairs, ...renewed]).join() };
    }
    if (env["USAGE_MAC_KEY"] === undefined || phase === "accept") return {};
    return { USAGE_MAC_KEY: fresh(service) };
  }

  #engines(service: string, env: Environment, phase: Phase): Record<string, string> {
    if (phase === "accept") return {};
    const settings: Record<string, string> = {};
    if (env["MONGODB_URL"] !== undefined) {
      const url = new URL(env["MONGODB_URL"]);
      url.username = secondOf(service);
      url.password = this.of(`MongoDB's ${service}`);
      settings["MONGODB_URL"] = url.href;
    }
    if (env["NATS_USER"] !== undefined) {
      settings["NATS_USER"] = secondOf(service);
      settings["NATS_PASSWORD"] = this.of(`NATS's ${service}`);
    }
    return settings;
  }

  /** Gives the services a second user in both engines. */
  async addUsers(fleet: TestFleet, services: readonly string[]): Promise<void> {
    await withAdmin(fleet, async (admin) => {
      for (const [service, roles] of usersOf(services))
        await admin.command({ createUser: secondOf(service), pwd: this.of(`MongoDB's ${service}`), roles });
    });
    await changeNats(fleet, (line, service) => {
      if (!services.includes(service)) return [line];
      const [password, fresh] = [/password: "[^"]*"/, `password: "${this.of(`NATS's ${service}`)}"`] as const;
      return [line, line.replace(`user: "${service}"`, `user: "${secondOf(service)}"`).replace(password, fresh)];
    });
  }

  /** Removes the first users. */
  async dropUsers(fleet: TestFleet, services: readonly string[]): Promise<void> {
    await withAdmin(fleet, async (admin) => {
      for (const [service] of usersOf(services)) await admin.command({ dropUser: service });
    });
    await changeNats(fleet, (line, service) => (services.includes(service) ? [] : [line]));
  }
}

const usersOf = (services: readonly string[]) =>
  Object.entries(mongoAccess).filter(([service]) => services.includes(service));

async function withAdmin(
  { run }: TestFleet,
  work: (admin: ReturnType<MongoClient["db"]>) => Promise<void>,
): Promise<void> {
  await using client = new MongoClient(run.mongodb_url);
  await work(client.db("admin"));
}

/** Rewrites the lines of users, and makes the server reload them. */
async function changeNats(
  { dataDir, processes }: TestFleet,
  change: (line: string, user: string) => string[],
): Promise<void> {
  const file = join(dataDir, "nats/nats.conf");
  const lines = (await readFile(file, "utf8")).split("\n").flatMap((line) => {
    const [, user] = /\{ user: "([^"]+)"/.exec(line) ?? [];
    return user === undefined ? [line] : change(line, user);
  });
  await writeFile(file, lines.join("\n"));
  await processes.kill("nats-server", "SIGHUP");
}
