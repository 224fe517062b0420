/** By the catalogue's name of a provider: its prefix at the simulator. Its variables are named after it, e.g. `OPENAI_API_KEY`. */
const simulatorPaths = {
  openai: "/openai/v1",
  anthropic: "/anthropic",
  gemini: "/gemini",
  dashscope: "/dashscope",
  ark: "/ark/api/v3",
  voyage: "/voyage",
  xai: "/xai/v1",
  moonshot: "/vendor/v1",
  deepseek: "/vendor/v1",
} as const;

const simulatorKey = "simulator";

/** True for variables that only the services that call providers may see. */
export function isProviderSetting(name: string): boolean {
  return /_(API_KEY|BASE_URL)$/.test(name);
}

/** The providers that the simulator stands in for: those of which the environment names neither key nor base URL. */
export function simulatedProviders(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(simulatorPaths).filter((name) => {
    const prefix = name.toUpperCase();
    return !env[`${prefix}_API_KEY`] && !env[`${prefix}_BASE_URL`];
  });
}

/**
 * Keys and base URLs for the services that call providers: the caller's own, and the simulator's for the providers that
 * it stands in for. A base URL without a key is taken for a server that asks for none.
 */
export function providerSettings(env: NodeJS.ProcessEnv, simulatorUrl: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (isProviderSetting(name) && value) settings[name] = value;
  const simulated = new Set(simulatedProviders(env));
  for (const [name, path] of Object.entries(simulatorPaths)) {
    const prefix = name.toUpperCase();
    settings[`${prefix}_API_KEY`] ??= simulatorKey;
    if (simulated.has(name)) settings[`${prefix}_BASE_URL`] = `${simulatorUrl}${path}`;
  }
  return settings;
}
