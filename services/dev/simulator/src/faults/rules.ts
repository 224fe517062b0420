import { z } from "zod";
import { type Random, randomFrom } from "../content/hash.ts";
import type { Faults } from "./catalogue.ts";
import { faultsFromObject } from "./parse.ts";

/** Body of `POST /sim/faults`. A path, model or key that ends with `*` matches by prefix. */
export const ruleSchema = z.strictObject({
  match: z
    .strictObject({
      provider: z.string().optional(),
      path: z.string().optional(),
      model: z.string().optional(),
      key: z.string().optional(),
      count: z.int().min(1).optional(),
      probability: z.number().min(0).max(1).optional(),
      seed: z.union([z.string(), z.number()]).default(0),
    })
    .default({ seed: 0 }),
  faults: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

export type RuleInput = z.infer<typeof ruleSchema>;
export type RuleView = RuleInput & { readonly id: string; readonly hits: number; readonly left: number | null };
export interface Target {
  readonly provider: string;
  readonly path: string;
  readonly model: string | undefined;
  /** The request's credential. */
  readonly key: string | undefined;
}

interface Rule {
  input: RuleInput;
  faults: Faults;
  random: Random;
  hits: number;
}

function fits(pattern: string | undefined, value: string | undefined): boolean {
  if (pattern === undefined) return true;
  if (value === undefined) return false;
  return pattern.endsWith("*") ? value.startsWith(pattern.slice(0, -1)) : value === pattern;
}

/** The fault rules set through the control API, oldest first. */
export class FaultRules {
  readonly #rules = new Map<string, Rule>();
  #made = 0;

  /** Throws UnknownFault when the rule contains an unknown fault. */
  add(input: RuleInput): RuleView {
    const id = `rule-${++this.#made}`;
    const { seed } = input.match;
    this.#rules.set(id, {
      input,
      faults: faultsFromObject(input.faults),
      random: randomFrom(String(seed), "rule"),
      hits: 0,
    });
    return this.#view(id);
  }

  /**
   * The union of the faults of all rules that match this attempt; counts the hits. Later rules take
   * precedence.
   */
  apply(target: Target): Faults {
    const hit: Faults[] = [];
    for (const rule of this.#rules.values()) {
      const { provider, path, model, key, count, probability } = rule.input.match;
      if (!fits(provider, target.provider) || !fits(path, target.path) || !fits(model, target.model)) continue;
      if (!fits(key, target.key)) continue;
      if (count !== undefined && rule.hits >= count) continue;
      if (probability !== undefined && rule.random() >= probability) continue;
      rule.hits++;
      hit.push(rule.faults);
    }
    return Object.assign({}, ...hit);
  }

  list(): RuleView[] {
    return [...this.#rules.keys()].map((id) => this.#view(id));
  }

  remove(id: string): boolean {
    return this.#rules.delete(id);
  }

  clear(): void {
    this.#rules.clear();
  }

  #view(id: string): RuleView {
    const rule = this.#rules.get(id);
    if (rule === undefined) throw new Error(`no rule ${id}`);
    const { count } = rule.input.match;
    return { id, ...rule.input, hits: rule.hits, left: count === undefined ? null : count - rule.hits };
  }
}
