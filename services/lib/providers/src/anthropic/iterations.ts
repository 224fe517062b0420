import type { Tokens } from "../conversation/events.ts";
import { countOf, type Fields, fieldsOf, isFields, listOf, textOf } from "../conversation/fields.ts";

/** The tokens of one or more model runs that share a price. */
export interface PricedTokens {
  readonly tokens: Tokens;
  /** The variant of the price (`:fast`); empty for the requested model's standard price. */
  readonly variant: string;
}

/**
 * Splits a usage object by price. With compaction, the advisor tool or server-side fallback, one
 * response takes several model runs, listed in `iterations`. The top-level counts are then no basis
 * for a bill: they leave out compactions, other models and failed runs
 * (platform.claude.com/docs/en/build-with-claude/compaction, "Understanding usage").
 * @param model the requested model's name at the upstream
 * @returns undefined when the object does not report usage
 */
export function pricedTokens(usage: Fields, model: string): PricedTokens[] | undefined {
  const whole = tokensOf(usage);
  const iterations = listOf(usage["iterations"]).map(fieldsOf);
  const runs = iterations.map((iteration) => ({
    tokens: tokensOf(iteration),
    variant: variantOf({ speed: usage["speed"], ...iteration }, model),
  }));
  const isOneRun = runs.length === 0 || (runs.length === 1 && runs[0]?.variant === "");
  if (isOneRun) return whole && [{ tokens: whole, variant: variantOf(usage, undefined) }];
  const readable = runs.flatMap(({ tokens, variant }) => (tokens === undefined ? [] : [{ tokens, variant }]));
  return readable.length === 0 ? undefined : readable;
}

/** How many entries of `iterations` cannot be counted. */
export function unreadableIterations(usage: Fields): number {
  return listOf(usage["iterations"]).filter((iteration) => !isFields(iteration) || !hasCounts(iteration)).length;
}

/** Adds up tokens of any price. */
export function sumTokens(parts: readonly PricedTokens[]): Tokens {
  return parts.map(({ tokens }) => tokens).reduce(added);
}

function added(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    output: a.output + b.output,
    thinking: a.thinking + b.thinking,
  };
}

/** Fast mode and other models have prices of their own. */
function variantOf(usage: Fields, model: string | undefined): string {
  const used = textOf(usage["model"]);
  const other = model !== undefined && used !== undefined && baseName(used) !== baseName(model);
  return (other ? `:${used.slice(0, 64)}` : "") + (usage["speed"] === "fast" ? ":fast" : "");
}

/** A model's name without vendor prefix and snapshot date: `claude-opus-4-8`. */
function baseName(name: string): string {
  return name
    .slice(Math.max(0, name.lastIndexOf("claude")))
    .replaceAll(".", "-")
    .replace(/([-@](\d{8}|latest|0))?(-v\d+(:\d+)?)?$/, "");
}

const hasCounts = (usage: Fields): boolean =>
  countOf(usage["input_tokens"]) !== undefined && countOf(usage["output_tokens"]) !== undefined;

function tokensOf(usage: Fields): Tokens | undefined {
  const input = countOf(usage["input_tokens"]);
  const output = countOf(usage["output_tokens"]);
  if (input === undefined || output === undefined) return undefined;
  const written = fieldsOf(usage["cache_creation"]);
  const cacheWrite1h = countOf(written["ephemeral_1h_input_tokens"]) ?? 0;
  const told5m = countOf(written["ephemeral_5m_input_tokens"]) ?? 0;
  // Unspecified cache writes are of the shorter, cheaper kind: the longer one must be requested.
  const cacheWrite5m = Math.max(told5m, (countOf(usage["cache_creation_input_tokens"]) ?? 0) - cacheWrite1h);
  const cacheRead = countOf(usage["cache_read_input_tokens"]) ?? 0;
  const thinking = countOf(fieldsOf(usage["output_tokens_details"])["thinking_tokens"]) ?? 0;
  if (input + output + cacheRead + cacheWrite5m + cacheWrite1h === 0) return undefined;
  return { input, cacheRead, cacheWrite5m, cacheWrite1h, output, thinking };
}
