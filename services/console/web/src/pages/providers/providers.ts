import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import type { Page, Provider, ProviderTemplate } from "../../api/types.ts";

export type Credential = Provider["credentials"][number];

export const providersQuery = queryOptions({
  queryKey: ["providers"],
  queryFn: ({ signal }) => call<Page<Provider>>("/admin/v1/providers", { signal }),
  // The states of credentials change without anybody's action.
  refetchInterval: 10_000,
});

export const templatesQuery = queryOptions({
  queryKey: ["provider-templates"],
  queryFn: ({ signal }) => call<Page<ProviderTemplate>>("/admin/v1/provider-templates", { signal }),
});

export const modelPath = (id: string): string => `/admin/v1/models/${encodeURIComponent(id)}`;

/** What is entered about a new model; amounts are empty until they are entered. */
export interface ModelValues {
  readonly upstream: string;
  readonly id: string;
  /** The model that it is like; empty: it has limits and a price of its own. */
  readonly like: string;
  readonly context: number | string;
  readonly maxOutput: number | string;
  readonly inputUsd: number | string;
  readonly outputUsd: number | string;
}

export const noModel: ModelValues = {
  upstream: "",
  id: "",
  like: "",
  context: "",
  maxOutput: "",
  inputUsd: "",
  outputUsd: "",
};

/** The operations of a model that generates text. */
export const chat = ["chat.completions", "messages", "responses"] as const;

/** The id of a model of the provider's, unless another is chosen. */
export const modelId = (provider: string, upstream: string): string => `${provider}/${upstream.toLowerCase()}`;

/** The body that creates a model; its id is the provider's and the upstream's name unless it is set. */
export function modelBody(provider: string, values: ModelValues) {
  const upstream = values.upstream.trim();
  const own = {
    operations: chat,
    context_tokens: Number(values.context),
    max_output_tokens: Number(values.maxOutput),
    price: { input_tokens: Number(values.inputUsd), output_tokens: Number(values.outputUsd) },
  };
  return {
    id: values.id.trim() || modelId(provider, upstream),
    upstreams: [{ provider, model: upstream }],
    ...(values.like === "" ? own : { like: values.like }),
  };
}

/** The path of a provider, or of something of it. */
export const providerPath = (id: string, ...rest: readonly string[]): string =>
  ["/admin/v1/providers", id, ...rest].map((part, index) => (index === 0 ? part : encodeURIComponent(part))).join("/");

/** The newest credential that new requests use; undefined: those of the catalogue's file. */
export const inUse = ({ credentials }: Provider): Credential | undefined =>
  credentials.findLast(({ enabled }) => enabled);

/** The text by which people distinguish credentials. */
export const hintOf = ({ hint, variable }: Credential): string => hint ?? variable ?? "";

/** Colors of the states. */
export const stateColors = {
  serving: "teal",
  simulated: "gray.5",
  disabled: "orange",
  unserved: "red",
  draining: "orange",
} as const satisfies Record<Provider["state"], string>;
