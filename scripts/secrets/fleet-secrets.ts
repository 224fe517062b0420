import { createHmac, randomBytes } from "node:crypto";
import { type Peer, peers } from "@uag/contract/access/rpc";
import { serviceNames } from "@uag/contract/routes";
import { mongoAccess } from "@uag/local/engines/mongo-users";

/** Where the services reach MongoDB. */
export interface MongoAddress {
  /** `host:port`, comma-separated. */
  readonly hosts: string;
  /** The query of the URL, without `authSource`. */
  readonly options: string;
}

/** The servers of the chart `mongodb`. */
export function bundledMongo(fleet: string): MongoAddress {
  const members = [0, 1, 2].map((ordinal) => `${fleet}-mongodb-${ordinal}.${fleet}-mongodb:27017`);
  return { hosts: members.join(), options: `replicaSet=${fleet}-mongodb&tls=true&tlsCAFile=/etc/uag/mongodb/ca.crt` };
}

/** The values of a fleet's Secrets, with the equalities among them. All follow from one random root. */
export class FleetSecrets {
  readonly #root = randomBytes(32);
  readonly #mongo: MongoAddress;

  constructor(mongo: MongoAddress) {
    this.#mongo = mongo;
  }

  #derived(use: string): string {
    return createHmac("sha256", this.#root).update(use).digest("hex");
  }

  /** The file that the NATS chart reads, with the values of each service's own Secret. */
  #natsPasswords(): string {
    return peers.map((peer) => `password_${peer}: ${JSON.stringify(this.valueOf(peer, "NATS_PASSWORD"))}\n`).join("");
  }

  #mongodbPassword(user: string): string {
    return this.#derived(`mongodb/${user}`);
  }

  /** The file that the MongoDB chart and the roles Job read, with the passwords of each service's own Secret. */
  #mongodbPasswords(): string {
    const users = Object.keys(mongoAccess) as Peer[];
    return JSON.stringify(Object.fromEntries(users.map((user) => [user, this.#mongodbPassword(user)])));
  }

  /** The value of a key in a service's Secret: shared values are the same for all services. */
  valueOf(service: string, key: string): string {
    const user = service === "toolbox" ? "operator" : service;
    if (key === "passwords.conf") return this.#natsPasswords();
    if (key === "passwords.json") return this.#mongodbPasswords();
    if (key === "NATS_PASSWORD") return this.#derived(`nats/${user}`);
    if (key === "MONGODB_URL") {
      const { hosts, options } = this.#mongo;
      return `mongodb://${user}:${this.#mongodbPassword(user)}@${hosts}/?${options}&authSource=admin`;
    }
    if (key === "USAGE_MAC_KEY") return this.#derived(`usage/${service}`);
    if (key === "USAGE_MAC_KEYS")
      return serviceNames.map((name) => `${name}:${this.valueOf(name, "USAGE_MAC_KEY")}`).join();
    return this.#derived(key);
  }
}
