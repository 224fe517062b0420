import { referencesIn } from "./env.ts";
import { readRows } from "./parse.ts";

/** Where a provider's address and key come from, and what stands in for it where there are none. */
export interface ProviderEnvironment {
  readonly name: string;
  /**
   * Name of the variable that `base_url` refers to; undefined where the address stands in the row.
   */
  readonly baseUrlVariable: string | undefined;
  /** Name of the variable that `api_key` refers to; undefined where it refers to none. */
  readonly apiKeyVariable: string | undefined;
  /**
   * Path of its base URL at the simulator; undefined where the simulator does not stand in for it.
   */
  readonly simulatorPath: string | undefined;
  /** Operations of the models that it serves. */
  readonly operations: ReadonlySet<string>;
}

/**
 * What each provider of a catalogue takes from the environment, in the file's order.
 * @throws {CatalogError} when the catalogue is not valid
 */
export function providerEnvironments(yaml: string): ProviderEnvironment[] {
  const { providers, models } = readRows(yaml);
  return Object.entries(providers).map(([name, row]) => ({
    name,
    baseUrlVariable: referencesIn(row.base_url)[0],
    apiKeyVariable: referencesIn(row.api_key)[0],
    simulatorPath: row.simulator,
    operations: new Set(
      models
        .filter(({ upstreams }) => upstreams.some(({ provider }) => provider === name))
        .flatMap(({ operations }) => operations),
    ),
  }));
}
