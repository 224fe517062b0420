import { referencesIn } from "./env.ts";
import { readRows } from "./parse.ts";

/**
 * The variables that hold a provider's address and key, and the simulator path used without them.
 */
export interface ProviderEnvironment {
  readonly name: string;
  /** The variable that `base_url` references; undefined for a literal address. */
  readonly baseUrlVariable: string | undefined;
  /** The variable that `api_key` references; undefined if there is none. */
  readonly apiKeyVariable: string | undefined;
  /** Path of its base URL at the simulator; undefined where the simulator does not replace it. */
  readonly simulatorPath: string | undefined;
  /** Operations of the models that the provider serves. */
  readonly operations: ReadonlySet<string>;
}

/**
 * The environment variables of each provider in a catalogue, in file order.
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
