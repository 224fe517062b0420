import type { Provider, Upstream } from "./types.ts";

/** Each provider with its credentials: made once, not for each model. */
const variants = new WeakMap<Provider, readonly Provider[]>();

function variantsOf(provider: Provider): readonly Provider[] {
  const known = variants.get(provider);
  if (known !== undefined) return known;
  const made = provider.inUse.map(({ id }) => ({ ...provider, ...provider.accesses.get(id) }));
  for (const each of [provider, ...made]) variants.set(each, made);
  return made;
}

/** The upstream, its pool included, under another name of the model. */
export const withModel = (upstream: Upstream, model: string): Upstream => pooled({ ...upstream, model });

/** The upstream with its pool, if new requests may use several credentials. */
export function pooled(upstream: Upstream): Upstream {
  if (upstream.provider.inUse.length < 2) return upstream;
  const pool: Upstream[] = [];
  const weights = new Set(upstream.provider.inUse.map(({ weight }) => weight));
  const shared = { ...upstream, pool, isEven: weights.size === 1 };
  for (const provider of variantsOf(upstream.provider)) pool.push({ ...shared, provider });
  return pool[0] ?? upstream;
}
