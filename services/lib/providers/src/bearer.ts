import type { Provider } from "@uag/catalog/types";

/** The provider's key as a bearer token; nothing for a provider that is called without a key. */
export const bearerOf = ({ apiKey }: Pick<Provider, "apiKey">): string[] =>
  apiKey === "" ? [] : ["authorization", `Bearer ${apiKey}`];
