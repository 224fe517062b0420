import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { Tokens } from "../conversation/events.ts";
import { countOf, type Fields, fieldsOf, isFields } from "../conversation/fields.ts";
import type { UsageReport } from "../usage-report.ts";

/**
 * Anthropic's usage of one answer. A stream reports it in parts, each cumulative: the last non-null
 * value of every field counts. The input excludes cache reads and writes; thinking is part of the
 * output.
 */
export class AnthropicUsage {
  #fields: Record<string, unknown> | undefined;
  #final = false;
  #complete: unknown;

  /** Takes the usage of a non-streamed answer. */
  complete(usage: unknown): void {
    this.add(usage, { final: true });
    this.#complete = usage;
  }

  /** @param final the answer is complete */
  add(usage: unknown, { final }: { final: boolean }): void {
    if (!isFields(usage)) return;
    this.#fields ??= {};
    for (const [name, value] of Object.entries(usage)) if (value !== null) this.#fields[name] = value;
    if (final && countOf(usage["output_tokens"]) !== undefined) this.#final = true;
  }

  /** The usage of the complete answer; undefined until it is known. */
  get report(): UsageReport | undefined {
    return this.#final ? this.soFar : undefined;
  }

  get soFar(): UsageReport | undefined {
    const { tokens } = this;
    if (tokens === undefined || this.#fields === undefined) return undefined;
    const raw = Buffer.from(JSON.stringify(this.#complete ?? this.#fields));
    return { units: unitsOfTokens(tokens, this.#fields), raw };
  }

  /** Undefined when the object does not report usage. */
  get tokens(): Tokens | undefined {
    return this.#fields === undefined ? undefined : tokensOf(this.#fields);
  }
}

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

function unitsOfTokens(tokens: Tokens, usage: Fields): Unit[] {
  const counts: readonly (readonly [name: string, quantity: number])[] = [
    ["input_tokens", tokens.input],
    ["cached_input_tokens", tokens.cacheRead],
    ["cache_write_5m_tokens", tokens.cacheWrite5m],
    ["cache_write_1h_tokens", tokens.cacheWrite1h],
    ["output_tokens", tokens.output],
  ];
  // Fast mode costs a multiple; without a price of its own it must not be billed at the normal one.
  const suffix = usage["speed"] === "fast" ? ":fast" : "";
  const units = counts
    .filter(([, quantity]) => quantity > 0)
    .map(([name, quantity]) => ({ name: name + suffix, quantity: BigInt(quantity) }));
  // Any other tool use has no price and must not be free.
  const { web_search_requests, ...others } = fieldsOf(usage["server_tool_use"]);
  const runs = { web_searches: web_search_requests, ...others };
  for (const [name, count] of Object.entries(runs)) {
    const quantity = countOf(count) ?? 0;
    if (quantity > 0) units.push({ name, quantity: BigInt(quantity) });
  }
  return units;
}
