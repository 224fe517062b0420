import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import { countOf, type Fields, isFields } from "../conversation/fields.ts";

/**
 * Members that are counted by other units, contain them, or are not counted at all. Details break
 * down a total that is counted.
 */
const knownHere =
  /^(prompt|completion|input|output|total|reasoning|cached|num_cached|text|image|audio|video)_tokens$|^prompt_cache_(hit|miss)_tokens$|_details$/;
/** How the names of counters end or begin: not times, costs or settings. */
const counter = /_(tokens|queries|requests|searches|sources|calls|count|seconds|images|pages)$|^num_/;

/** Names of providers that write `promptTokenCount` are tested as `prompt_token_count`. */
const capital = /[A-Z]/g;

/**
 * Counters without a unit here, such as Perplexity's `num_search_queries` or OpenRouter's
 * `server_tool_use`: each is a unit of its own name, so that a provider's charge for it is noticed
 * instead of lost.
 * @param known members of the provider's usage that units count
 */
export function otherCounters(usage: Fields, known: RegExp = knownHere): [name: string, quantity: number][] {
  return Object.entries(usage).flatMap(([name, value]): [string, number][] => {
    if (known.test(name)) return [];
    if (isFields(value)) return otherCounters(value, known);
    const snake = name.replaceAll(capital, (letter) => `_${letter.toLowerCase()}`);
    const quantity = counter.test(snake) ? (countOf(value) ?? 0) : 0;
    return quantity > 0 ? [[name, quantity]] : [];
  });
}

/** The same as units. */
export function unitsOfOthers(usage: Fields, known?: RegExp): Unit[] {
  return otherCounters(usage, known).map(([name, quantity]) => ({ name, quantity: BigInt(quantity) }));
}
