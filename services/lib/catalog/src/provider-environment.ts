import { referencesIn } from "./env.ts";
import { readRows } from "./parse.ts";

/**
 * The variables that hold a provider's address and key, and the simulator path used without them.
 */
export interface ProviderEnvironment {
  readonly name: string;
  /** The variable that `base_url` references; undefined for a literal address. */
  readonly baseUrlVariable: string | undefined;
  /** The variables that `api_key`, or those of `credentials`, reference. */
  readonly apiKeyVariables: readonly string[];
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
    apiKeyVariables: [row.api_key ?? "", ...(row.credentials ?? []).map(({ api_key }) => api_key)].flatMap(
      referencesIn,
    ),
    simulatorPath: row.simulator,
    operations: new Set(
      models
        .filter(({ upstreams }) => upstreams.some(({ provider }) => provider === name))
        .flatMap(({ operations }) => operations),
    ),
  }));
}
