import { createHmac, randomBytes } from "node:crypto";
import type { Engines } from "../../services/fleet/src/engines/start.ts";
import { type Peer, peers } from "../../services/kit/src/rpc/access.ts";

/** Makes up what an operator would put into the Secrets of the manifests. */
export class LocalSecrets {
  readonly #root = randomBytes(32).toString("hex");
  readonly #engines: Engines;
  readonly #providers: Readonly<Record<string, string>>;
  readonly #publishers: readonly string[];

  /** @param publishers who publishes usage */
  constructor(engines: Engines, providers: Readonly<Record<string, string>>, publishers: readonly string[]) {
    this.#engines = engines;
    this.#providers = providers;
    this.#publishers = publishers;
  }

  #derived(use: string): string {
    return createHmac("sha256", this.#root).update(use).digest("hex");
  }

  /** The file that the chart of NATS reads: what each service's own Secret has. */
  #natsPasswords(): string {
    const passwordOf = (peer: Peer): string => JSON.stringify(this.valueOf(peer, "NATS_PASSWORD"));
    return peers.map((peer) => `password_${peer}: ${passwordOf(peer)}\n`).join("");
  }

  /** The value of a key in a service's Secret. What several services share is the same for all. */
  valueOf(service: string, key: string): string {
    if (key === "passwords.conf") return this.#natsPasswords();
    const ofEngines = this.#engines.settingsFor(service as Peer)[key];
    if (ofEngines !== undefined) return ofEngines;
    if (key === "USAGE_MAC_KEY") return this.#derived(`usage/${service}`);
    if (key === "USAGE_MAC_KEYS")
      return this.#publishers.map((name) => `${name}:${this.#derived(`usage/${name}`)}`).join();
    return this.#providers[key] ?? this.#derived(key);
  }
}
