import type { Provider } from "@uag/catalog/types";
import { parsedJson } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import type { HttpPools } from "../http/pools.ts";
import { sendAuthorized } from "../identity/authorize.ts";
import { boundedResponse } from "../response-limits.ts";
import type { OwnModel, OwnModelsAdapter } from "./types.ts";

/** OpenRouter's list of some 400 models, the longest one, has 1 MiB. */
const maxBytes = 4 * 1024 * 1024;
const maxModels = 2_000;
const maxIdLength = 200;

export interface ListOwnModelsOptions {
  readonly pools: HttpPools;
  readonly adapter: OwnModelsAdapter;
  readonly provider: Provider;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/**
 * Lists the models that a provider offers with its key: at most 2,000.
 * @throws {UpstreamFailure} also for a response that is not a list of models
 */
export async function listOwnModels(options: ListOwnModelsOptions): Promise<OwnModel[]> {
  const { pools, adapter, provider, requestId, signal } = options;
  const { basePath, timeouts, transport } = provider;
  const origin = adapter.originOf?.(provider) ?? provider.origin;
  const headers = adapter.headersOf(provider, requestId);
  const request = { path: basePath + adapter.pathOf(provider), method: "GET", headers, body: undefined } as const;
  const response = await sendAuthorized(pools, provider, { ...request, origin, timeouts, transport, signal });
  const body = await boundedResponse(await response.read(maxBytes));
  const { status } = response;
  if (status >= 300) {
    const bad = { status, header: (name: string) => response.header(name), body };
    throw adapter.failureOf(bad, { provider, model: "", weight: 1, priority: 0 }).of(response);
  }
  const models = adapter.modelsIn(parsedJson(body.toString("utf8")));
  if (models === undefined)
    throw new UpstreamFailure("transient", "the response is not a list of models", { status }).of(response);
  return models.filter(({ id }) => id.length <= maxIdLength).slice(0, maxModels);
}
