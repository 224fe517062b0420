import { hashOf } from "../../content/hash.ts";
import type { Call } from "../../http/types.ts";
import type { PromptStep } from "./turn.ts";

/** How the cache splits a prompt; the three parts add up to it. */
export interface CacheUse {
  readonly uncached: number;
  readonly read: number;
  readonly written: number;
}

/** Of Nova: shorter prefixes are not cached, and longer ones not beyond (https://docs.aws.amazon.com/nova/latest/userguide/prompt-caching.html). */
const cacheableFrom = 1_000;
const lifeMs = 300_000;

/** Reads the longest cached prefix, and writes what is marked beyond it. */
export function useCache(steps: readonly PromptStep[], { cache, faults, credential, model = "" }: Call): CacheUse {
  const total = steps.at(-1)?.tokens ?? 0;
  if (faults.cached !== undefined) {
    const read = Math.min(faults.cached, total);
    return { uncached: total - read, read, written: 0 };
  }
  const own = (step: PromptStep) => ({
    digest: hashOf("converse", credential, model, step.digest),
    tokens: step.tokens,
  });
  const marked = steps.filter((step) => step.marked && step.tokens >= cacheableFrom).map(own);
  const read = cache.match(marked);
  cache.remember(marked, lifeMs);
  const written = Math.max(0, (marked.at(-1)?.tokens ?? 0) - read);
  return { uncached: total - read - written, read, written };
}
