import type { Peer } from "@uag/contract/access/rpc";
import type { Engines } from "@uag/local/engines/start";
import { bundledMongo, FleetSecrets } from "../secrets/fleet-secrets.ts";

/** Generates the Secrets that an operator would create for the manifests. */
export class LocalSecrets {
  readonly #own = new FleetSecrets(bundledMongo("uag"));
  readonly #engines: Pick<Engines, "settingsFor"> | undefined;
  readonly #providers: Readonly<Record<string, string>>;

  /** @param engines undefined: the engines of the fleet's charts */
  constructor(engines: Pick<Engines, "settingsFor"> | undefined, providers: Readonly<Record<string, string>>) {
    this.#engines = engines;
    this.#providers = providers;
  }

  /** The value of a key in a service's Secret; shared values are the same for all services. */
  valueOf(service: string, key: string): string {
    const ofEngines = this.#engines?.settingsFor(service as Peer)[key];
    return ofEngines ?? this.#providers[key] ?? this.#own.valueOf(service, key);
  }
}
