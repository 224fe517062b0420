import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { EmbeddingInput, TokenReport } from "@uag/providers/embeddings/types";
import { countTokens } from "@uag/providers/tokens";

/** Inputs of one upstream response, and its token count. */
export interface UsedPart {
  readonly inputs: readonly EmbeddingInput[];
  readonly usage: TokenReport | undefined;
}

export interface Usage {
  readonly tokens: number;
  /** Counters that the upstreams reported and that the catalogue has no unit for. */
  readonly others: readonly Unit[];
  /**
   * The usage that upstreams reported, unmodified: one object, or a list with one per part.
   * Undefined when none did.
   */
  readonly raw: Buffer | undefined;
  /** True when part of the count is our own estimate. */
  readonly estimated: boolean;
}

/**
 * Sums the usage of the parts. What an upstream did not count is counted here, with a tokenizer
 * that may differ from its own.
 */
export async function embeddingUsage(parts: readonly UsedPart[], contextTokens: number): Promise<Usage> {
  let tokens = 0;
  let estimated = false;
  const raws: Buffer[] = [];
  const others: Unit[] = [];
  for (const { inputs, usage } of parts) {
    if (usage === undefined) {
      estimated = true;
      for (const input of inputs) tokens += Math.min(await tokensOf(input), contextTokens);
    } else {
      tokens += usage.tokens;
      raws.push(usage.raw);
      others.push(...usage.others);
    }
  }
  return { tokens, others, raw: parts.length === 1 ? raws[0] : listOf(raws), estimated };
}

async function tokensOf(input: EmbeddingInput): Promise<number> {
  return typeof input === "string" ? countTokens(input) : input.length;
}

function listOf(raws: readonly Buffer[]): Buffer | undefined {
  return raws.length === 0 ? undefined : Buffer.from(`[${raws.map((raw) => raw.toString("utf8")).join(",")}]`);
}
