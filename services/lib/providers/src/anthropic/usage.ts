import type { Upstream } from "@uag/catalog/types";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { Tokens } from "../conversation/events.ts";
import { countOf, type Fields, fieldsOf, isFields } from "../conversation/fields.ts";
import type { UsageReport } from "../usage-report.ts";
import { type PricedTokens, pricedTokens, sumTokens, unreadableIterations } from "./iterations.ts";

/**
 * Uses of Anthropic's own tools that cost nothing beside their tokens
 * (platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool, "Usage and pricing";
 * tool search is billed as tokens alone).
 */
const freeUses: ReadonlySet<string> = new Set(["web_fetch_requests", "tool_search_requests"]);

/**
 * Anthropic's usage of one response. A stream reports it in parts, each cumulative: the last
 * non-null value of every field counts. The input excludes cache reads and writes; thinking is part
 * of the output.
 */
export class AnthropicUsage {
  readonly #model: string;
  #fields: Record<string, unknown> | undefined;
  #final = false;
  #complete: unknown;
  #outputCounted = false;

  /** @param model the requested model's name at the upstream */
  constructor(model: string) {
    this.#model = model;
  }

  /** Takes the usage of a non-streamed response. */
  complete(usage: unknown): void {
    this.add(usage, { final: true });
    this.#complete = usage;
  }

  /** @param final the response is complete */
  add(usage: unknown, { final }: { final: boolean }): void {
    if (!isFields(usage)) return;
    this.#fields ??= {};
    for (const [name, value] of Object.entries(usage)) if (value !== null) this.#fields[name] = value;
    if (final && countOf(usage["output_tokens"]) !== undefined) this.#final = true;
  }

  /** Takes the usage of a `message_delta`. */
  addDelta(usage: unknown, { final }: { final: boolean }): void {
    this.add(usage, { final });
    if (countOf(fieldsOf(usage)["output_tokens"]) !== undefined) this.#outputCounted = true;
  }

  /** The stream ended in order: what it counted is final, even if it named no stop reason. */
  end(): void {
    if (this.#outputCounted) this.#final = true;
  }

  /** The usage of the complete response; undefined until it is known. */
  get report(): UsageReport | undefined {
    return this.#final ? this.soFar : undefined;
  }

  get soFar(): UsageReport | undefined {
    const parts = this.#parts;
    if (parts === undefined || this.#fields === undefined) return undefined;
    const raw = Buffer.from(JSON.stringify(this.#complete ?? this.#fields));
    return { units: [...unitsOfTokens(parts), ...unitsOfOthers(this.#fields)], raw };
  }

  /** All tokens of the response, whatever their price; undefined when no usage is reported. */
  get tokens(): Tokens | undefined {
    const parts = this.#parts;
    return parts && sumTokens(parts);
  }

  get #parts(): PricedTokens[] | undefined {
    return this.#fields && pricedTokens(this.#fields, this.#model);
  }
}

/** The usage that a response object, or an event, reports. */
export function anthropicUsageIn({ usage }: Fields, _call: unknown, { model }: Upstream): UsageReport | undefined {
  const reported = new AnthropicUsage(model);
  reported.complete(usage);
  return reported.report;
}

/** One unit for each kind of token and price: a response may have several runs of one price. */
function unitsOfTokens(parts: readonly PricedTokens[]): Unit[] {
  const counts = new Map<string, number>();
  const add = (name: string, quantity: number): void => {
    if (quantity > 0) counts.set(name, (counts.get(name) ?? 0) + quantity);
  };
  for (const { tokens, variant } of parts) {
    add(`input_tokens${variant}`, tokens.input);
    add(`cached_input_tokens${variant}`, tokens.cacheRead);
    add(`cache_write_5m_tokens${variant}`, tokens.cacheWrite5m);
    add(`cache_write_1h_tokens${variant}`, tokens.cacheWrite1h);
    add(`output_tokens${variant}`, tokens.output);
  }
  return [...counts].map(([name, quantity]) => ({ name, quantity: BigInt(quantity) }));
}

/** Counts that are tokens of a known kind. */
const tokenCounts: ReadonlySet<string> = new Set([
  "input_tokens",
  "output_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "ephemeral_5m_input_tokens",
  "ephemeral_1h_input_tokens",
]);

/**
 * Uses of Anthropic's own tools, and counts that are not known here: what has no known price must
 * not be free.
 */
function unitsOfOthers(usage: Fields): Unit[] {
  const { web_search_requests, ...uses } = fieldsOf(usage["server_tool_use"]);
  const counts = {
    web_searches: web_search_requests,
    ...uses,
    ...usage,
    ...fieldsOf(usage["cache_creation"]),
    unreadable_iterations: unreadableIterations(usage),
  };
  return Object.entries(counts).flatMap(([name, count]) => {
    const quantity = freeUses.has(name) || tokenCounts.has(name) ? 0 : (countOf(count) ?? 0);
    return quantity > 0 ? [{ name, quantity: BigInt(quantity) }] : [];
  });
}
