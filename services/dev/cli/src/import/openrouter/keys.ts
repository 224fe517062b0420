import { type KeyLimit, planKeyLimit } from "../key-budget.ts";
import { type Plan, type PlannedKey, usdLeft } from "../plan.ts";
import type { Key } from "./records.ts";

/** Characters of OpenRouter's hash of a key that name it: enough to be unique, and no copy of the hash. */
const originDigits = 16;
const hintDigits = 3;

const originOf = ({ hash }: Key): string => `openrouter/${hash.slice(-originDigits)}`;

/** OpenRouter's resets, at midnight UTC, are those of the calendar here; its weeks begin on Monday as well. */
const periods: Readonly<Record<string, KeyLimit["period"]>> = { daily: "day", weekly: "week", monthly: "month" };

/** A limit that is never reset keeps what is left of it, and so does one whose reset is unknown here. */
function limitOf({ limit, limit_remaining: left, limit_reset: reset }: Key): KeyLimit | undefined {
  if (limit === null) return undefined;
  const period = periods[reset ?? ""];
  return period === undefined
    ? { amount: usdLeft(left ?? limit), period: "total" }
    : { amount: usdLeft(limit), period };
}

/** Why a key is not brought over; undefined: it is. */
function refusal({ disabled, expires_at: expires }: Key, now: number): string | undefined {
  if (disabled) return "It is disabled.";
  return expires && Date.parse(expires) <= now ? `It expired at ${expires}.` : undefined;
}

function planKey(plan: Plan, key: Key): PlannedKey {
  const { name, label, limit_reset: reset, expires_at: expires } = key;
  const origin = originOf(key);
  const alias = name || label;
  const spending = planKeyLimit(plan, { origin, name: alias }, limitOf(key));
  if (reset && periods[reset] === undefined)
    plan.notes.push({
      what: `key ${alias}`,
      why: `Its limit is reset ${reset}, which has no equal here (day, week or month of the calendar), so its budget never resets.`,
    });
  return {
    origin,
    hint: `sk-or-...${label.slice(-hintDigits)}`,
    budget: spending.budget,
    fields: { key_alias: alias, models: [], expires: expires ?? null, max_budget: spending.maxBudget, metadata: {} },
  };
}

/** Plans a new key for each key that still works. */
export function planKeys(plan: Plan, keys: readonly Key[], now: number): void {
  for (const key of new Map(keys.map((each) => [each.hash, each])).values()) {
    const why = refusal(key, now);
    if (why === undefined) plan.keys.push(planKey(plan, key));
    else plan.notes.push({ what: `key ${key.name || key.label}`, why });
  }
}
