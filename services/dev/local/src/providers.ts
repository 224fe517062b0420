import { simulatedSetting } from "@uag/catalog/provider";
import type { ProviderEnvironment } from "@uag/catalog/provider-environment";
import { keySettings } from "@uag/providers/reports/key-settings";

type Environment = Readonly<Record<string, string | undefined>>;

const simulatorKey = "simulator";

/**
 * True for variables that only services which call providers may see; admin keys only the auditor.
 */
export function isProviderSetting(name: string): boolean {
  return /_(API_KEY|ADMIN_KEY|BASE_URL)$|^PROVIDER_SECRET_/.test(name);
}

/**
 * Names of the providers that the simulator replaces: those with neither key nor base URL in the
 * environment.
 */
export function simulatedProviders(providers: readonly ProviderEnvironment[], env: Environment): string[] {
  return providers.filter((provider) => isSimulated(provider, env)).map(({ name }) => name);
}

/** How a provider of the catalogue is served. */
export interface ProviderState {
  readonly name: string;
  /** Without its key, a provider that the simulator does not implement is not served. */
  readonly state: "real" | "simulated" | "without key";
  /** The variable with which the real provider is served. */
  readonly variable: string;
}

/** How each provider of the catalogue is served, in its order. */
export function providerStates(providers: readonly ProviderEnvironment[], env: Environment): ProviderState[] {
  const simulated = new Set(simulatedProviders(providers, env));
  return providers.map(({ name, apiKeyVariables, baseUrlVariable }) => {
    const variables = [...apiKeyVariables, baseUrlVariable].filter((variable) => variable !== undefined);
    const isReal = variables.length === 0 || variables.some((variable) => env[variable]);
    const state = simulated.has(name) ? "simulated" : isReal ? "real" : "without key";
    return { name, state, variable: variables[0] ?? "" };
  });
}

const isAdminSetting = (name: string): boolean => /_ADMIN_(KEY|BASE_URL)$/.test(name);

/**
 * Admin keys of providers that publish reports, for the auditor alone: the caller's own, and the
 * simulator's for the providers that it replaces.
 * @param simulated names of those providers
 */
export function adminSettings(
  providers: readonly ProviderEnvironment[],
  { env, simulated, simulatorUrl }: { env: Environment; simulated: readonly string[]; simulatorUrl: string },
): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (isAdminSetting(name) && value) settings[name] = value;
  for (const [name, keySetting] of Object.entries(keySettings)) {
    const path = providers.find((provider) => provider.name === name)?.simulatorPath;
    if (path === undefined || settings[keySetting] || !simulated.includes(name)) continue;
    settings[keySetting] = simulatorKey;
    settings[keySetting.replace("ADMIN_KEY", "ADMIN_BASE_URL")] = `${simulatorUrl}${path}`;
  }
  return settings;
}

function isSimulated({ simulatorPath, apiKeyVariables, baseUrlVariable }: ProviderEnvironment, env: Environment) {
  const isSet = (variable: string | undefined): boolean => variable !== undefined && Boolean(env[variable]);
  return simulatorPath !== undefined && !apiKeyVariables.some(isSet) && !isSet(baseUrlVariable);
}

/**
 * Keys and base URLs for the services that call providers: the caller's own, and the simulator's
 * for the providers that it replaces. A base URL without a key is assumed to need none.
 */
export function providerSettings(
  providers: readonly ProviderEnvironment[],
  env: Environment,
  simulatorUrl: string,
): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (isProviderSetting(name) && !isAdminSetting(name) && value) settings[name] = value;
  for (const provider of providers) {
    const { simulatorPath, apiKeyVariables, baseUrlVariable } = provider;
    const simulated = isSimulated(provider, env);
    if (simulated && baseUrlVariable !== undefined) settings[baseUrlVariable] = `${simulatorUrl}${simulatorPath}`;
    const needsNoKey = simulated || (baseUrlVariable !== undefined && Boolean(env[baseUrlVariable]));
    const [first] = apiKeyVariables;
    if (needsNoKey && first !== undefined && !apiKeyVariables.some((variable) => settings[variable]))
      settings[first] = simulatorKey;
  }
  const simulated = simulatedProviders(providers, env);
  if (simulated.length > 0) settings[simulatedSetting] = simulated.join();
  return settings;
}
