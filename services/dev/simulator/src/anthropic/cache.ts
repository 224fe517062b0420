import type { PrefixCache } from "../content/prefix-cache.ts";
import type { AnthropicModel } from "./models.ts";
import type { Prompt } from "./prompt.ts";

/** How the cache splits a prompt; the three kinds and `uncached` add up to the prompt. */
export interface CacheUse {
  readonly uncached: number;
  readonly read: number;
  readonly written5m: number;
  readonly written1h: number;
}

const lifeMs = { "5m": 300_000, "1h": 3_600_000 } as const;

/**
 * Reads the longest cached prefix and writes the rest up to each mark. Without marks, or when the
 * last marked prefix is shorter than the model's minimum, nothing is read or written. `forced`
 * tokens are read regardless of the cache.
 */
export function useCache(prompt: Prompt, model: AnthropicModel, cache: PrefixCache, forced?: number): CacheUse {
  if (forced !== undefined) {
    const read = Math.min(forced, prompt.steps.at(-1)?.tokens ?? 0);
    return { uncached: prompt.tokens - read, read, written5m: 0, written1h: 0 };
  }
  const lastMarked = prompt.steps.findLastIndex((step) => step.mark !== undefined);
  const end = prompt.steps[lastMarked]?.tokens ?? 0;
  if (end < model.cacheableFrom) return { uncached: prompt.tokens, read: 0, written5m: 0, written1h: 0 };
  const reach = prompt.steps.slice(0, lastMarked + 1);
  const read = cache.match(reach);
  const written = { "5m": 0, "1h": 0 };
  let covered = read;
  for (const step of reach) {
    if (step.mark === undefined || step.tokens < model.cacheableFrom) continue;
    cache.remember([step], lifeMs[step.mark]);
    if (step.tokens <= covered) continue;
    written[step.mark] += step.tokens - covered;
    covered = step.tokens;
  }
  return { uncached: prompt.tokens - end, read, written5m: written["5m"], written1h: written["1h"] };
}
