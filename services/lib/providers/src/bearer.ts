import { keyHeaderOf } from "@uag/catalog/protocols";
import type { Provider } from "@uag/catalog/types";

/**
 * The provider's key, as a bearer token or in its protocol's own header; nothing for a provider
 * that is called without a key, or with a credential of another kind.
 */
export function bearerOf({ apiKey, protocol }: Pick<Provider, "apiKey" | "protocol">): string[] {
  if (apiKey === "") return [];
  const header = keyHeaderOf(protocol);
  return header === undefined ? ["authorization", `Bearer ${apiKey}`] : [header, apiKey];
}
