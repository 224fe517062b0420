import type { z } from "zod";
import { hasResponsesApi } from "./protocols.ts";
import type { catalogSchema } from "./schema.ts";

/** Providers and models that cannot have OpenAI's Responses API: a line for each. */
export function responsesApiFaults({ providers, models }: z.infer<typeof catalogSchema>): string[] {
  const without = new Map(
    Object.entries(providers).flatMap(([name, { protocol }]) =>
      hasResponsesApi(protocol) ? [] : [[name, `responses_api: protocol ${protocol} has no Responses API`]],
    ),
  );
  const ofProviders = [...without].filter(([name]) => providers[name]?.responses_api === true);
  const ofModels = models.flatMap(({ id, upstreams }) =>
    upstreams
      .filter(({ provider, responses_api: has }) => has === true && without.has(provider))
      .map(({ provider }) => `  models[${id}].upstreams: ${without.get(provider)}`),
  );
  return [...ofProviders.map(([name, fault]) => `  providers.${name}.${fault}`), ...ofModels];
}
