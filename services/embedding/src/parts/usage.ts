import type { EmbeddingInput, TokenReport } from "@uag/upstreams/embeddings/types.ts";
import { countTokens } from "@uag/upstreams/tokens.ts";

/** Inputs that were answered together, and what the upstream counted. */
export interface UsedPart {
  readonly inputs: readonly EmbeddingInput[];
  readonly usage: TokenReport | undefined;
}

export interface Usage {
  readonly tokens: number;
  /**
   * What the upstreams reported, as it came: one object, or a list of one for each part. Undefined
   * when none did.
   */
  readonly raw: Buffer | undefined;
  /** Some of the count is our own. */
  readonly estimated: boolean;
}

/**
 * Adds up what the parts used. What an upstream did not count is counted here, by a tokenizer that
 * may not be its own.
 */
export async function usageOf(parts: readonly UsedPart[], contextTokens: number): Promise<Usage> {
  let tokens = 0;
  let estimated = false;
  const raws: Buffer[] = [];
  for (const { inputs, usage } of parts) {
    if (usage === undefined) {
      estimated = true;
      for (const input of inputs) tokens += Math.min(await tokensOf(input), contextTokens);
    } else {
      tokens += usage.tokens;
      raws.push(usage.raw);
    }
  }
  return { tokens, raw: parts.length === 1 ? raws[0] : listOf(raws), estimated };
}

async function tokensOf(input: EmbeddingInput): Promise<number> {
  return typeof input === "string" ? countTokens(input) : input.length;
}

function listOf(raws: readonly Buffer[]): Buffer | undefined {
  return raws.length === 0 ? undefined : Buffer.from(`[${raws.map((raw) => raw.toString("utf8")).join(",")}]`);
}
