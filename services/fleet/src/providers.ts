/** A provider's variables are named after this, e.g. `OPENAI_API_KEY`; the path is its prefix at the simulator. */
const simulatorPaths = {
  OPENAI: "/openai/v1",
  ANTHROPIC: "/anthropic",
  GEMINI: "/gemini",
  DASHSCOPE: "/dashscope",
  ARK: "/ark",
  VOYAGE: "/voyage",
  XAI: "/xai",
} as const;

const simulatorKey = "simulator";

/**
 * Keys and base URLs for the services that call providers: the real provider's where the environment names a key or a
 * base URL, else the simulator's. A base URL without a key is taken for a server that asks for none.
 */
export function providerSettings(env: NodeJS.ProcessEnv, simulatorUrl: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [provider, path] of Object.entries(simulatorPaths)) {
    const key = env[`${provider}_API_KEY`] || undefined;
    const baseUrl = env[`${provider}_BASE_URL`] || (key === undefined ? `${simulatorUrl}${path}` : undefined);
    settings[`${provider}_API_KEY`] = key ?? simulatorKey;
    if (baseUrl !== undefined) settings[`${provider}_BASE_URL`] = baseUrl;
  }
  return settings;
}

/** True for variables that only the services that call providers may see. */
export function isProviderSetting(name: string): boolean {
  return /_(API_KEY|BASE_URL)$/.test(name);
}
