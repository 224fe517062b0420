import type { Provider } from "@uag/catalog/types";

export function geminiHeaders(provider: Provider): string[] {
  const common = ["content-type", "application/json", "accept-encoding", "identity"];
  return ["x-goog-api-key", provider.apiKey, ...common, ...provider.headers];
}
