import type { Provider } from "@uag/catalog/types";

export function geminiHeaders(provider: Provider): string[] {
  const common = ["content-type", "application/json", "accept-encoding", "identity"];
  const key = provider.apiKey === "" ? [] : ["x-goog-api-key", provider.apiKey];
  return [...key, ...common, ...provider.headers];
}
