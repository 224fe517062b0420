import { createHmac, randomBytes } from "node:crypto";
import { type Peer, peers } from "@uag/contract/access/rpc";
import { mongoAccess } from "@uag/local/engines/mongo-users";
import type { Engines } from "@uag/local/engines/start";

const members = [0, 1, 2].map((ordinal) => `uag-mongodb-${ordinal}.uag-mongodb:27017`).join();
const query = "replicaSet=uag-mongodb&authSource=admin&tls=true&tlsCAFile=/etc/uag/mongodb/ca.crt";

/** Generates the Secrets that an operator would create for the manifests. */
export class LocalSecrets {
  readonly #root = randomBytes(32).toString("hex");
  readonly #engines: Pick<Engines, "settingsFor"> | undefined;
  readonly #providers: Readonly<Record<string, string>>;
  readonly #publishers: readonly string[];

  /**
   * @param engines undefined: the engines of the fleet's charts
   * @param publishers the services that publish usage
   */
  constructor(
    engines: Pick<Engines, "settingsFor"> | undefined,
    providers: Readonly<Record<string, string>>,
    publishers: readonly string[],
  ) {
    this.#engines = engines;
    this.#providers = providers;
    this.#publishers = publishers;
  }

  #derived(use: string): string {
    return createHmac("sha256", this.#root).update(use).digest("hex");
  }

  /** The file that the NATS chart reads, with the values of each service's own Secret. */
  #natsPasswords(): string {
    const passwordOf = (peer: Peer): string => JSON.stringify(this.valueOf(peer, "NATS_PASSWORD"));
    return peers.map((peer) => `password_${peer}: ${passwordOf(peer)}\n`).join("");
  }

  #mongodbPassword(peer: string): string {
    return this.#derived(`mongodb/${peer}`);
  }

  /** The file that the MongoDB chart reads, with the passwords of each service's own Secret. */
  #mongodbPasswords(): string {
    return JSON.stringify(
      Object.fromEntries(Object.keys(mongoAccess).map((peer) => [peer, this.#mongodbPassword(peer)])),
    );
  }

  /** The value of a key in a service's Secret; shared values are the same for all services. */
  valueOf(service: string, key: string): string {
    if (key === "passwords.conf") return this.#natsPasswords();
    if (key === "passwords.json") return this.#mongodbPasswords();
    if (key === "MONGODB_URL" && this.#engines === undefined)
      return `mongodb://${service}:${this.#mongodbPassword(service)}@${members}/?${query}`;
    const ofEngines = this.#engines?.settingsFor(service as Peer)[key];
    if (ofEngines !== undefined) return ofEngines;
    if (key === "USAGE_MAC_KEY") return this.#derived(`usage/${service}`);
    if (key === "USAGE_MAC_KEYS")
      return this.#publishers.map((name) => `${name}:${this.#derived(`usage/${name}`)}`).join();
    return this.#providers[key] ?? this.#derived(key);
  }
}
