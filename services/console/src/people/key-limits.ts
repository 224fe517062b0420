import { mayUse } from "@uag/catalog/access";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { limitFields } from "@uag/contract/key-fields";
import { usdText } from "@uag/runtime/usd";
import { z } from "zod";

/** A field of a key that limits what it may do, by the admin API's name. */
type LimitName = keyof typeof limitFields;

const names = Object.keys(limitFields) as LimitName[];
const parsing = z.object(limitFields);

/**
 * Limits as the contract parses them: budgets in nano-USD, an end in Unix milliseconds with 0 for
 * never; null, 0 or an empty list of models is no limit.
 */
export type ParsedLimits = Partial<z.output<typeof parsing>>;

/** Limits as they are sent and stored: JSON of the admin API. An end is a key's own. */
export const keyLimits = z.strictObject(limitFields).omit({ expires: true });

export type KeyLimits = Readonly<z.input<typeof keyLimits>>;

/** The limits in a body. The admin API refuses, or ignores, what does not parse. */
export function limitsIn(body: Readonly<Record<string, unknown>>): ParsedLimits {
  const found = names.flatMap((name) => {
    const { success, data } = limitFields[name].safeParse(body[name]);
    return success && data !== undefined ? [[name, data] as const] : [];
  });
  return Object.fromEntries(found) as ParsedLimits;
}

/** Limits in the form in which they are stored; those that limit nothing are left out. */
export function storedLimits({ max_budget: budget, expires: _end, ...others }: ParsedLimits): KeyLimits {
  const all = { ...others, ...(budget != null && { max_budget: usdText(budget) }) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => isLimit(value)));
}

const isLimit = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== 0n;

/** True when `value` permits no more than `ceiling` does. */
function isWithin(value: ParsedLimits[LimitName], ceiling: ParsedLimits[LimitName]): boolean {
  if (!isLimit(ceiling)) return true;
  if (!isLimit(value)) return false;
  if (Array.isArray(value) && Array.isArray(ceiling)) return value.every((entry) => mayUse(ceiling, entry));
  if (typeof ceiling === "string") return value === ceiling;
  return Number(value) <= Number(ceiling);
}

/**
 * Checks that limits permit no more than others do.
 * @throws {GatewayError} `permission_denied`, naming the field
 */
export function requireWithin(limits: ParsedLimits, ceiling: ParsedLimits): void {
  const looser = names.find((name) => limits[name] !== undefined && !isWithin(limits[name], ceiling[name]));
  if (looser === undefined) return;
  const text = `${looser}: the limit is looser than an owner of the account allows. Ask an owner to change it.`;
  throw new GatewayError("permission_denied", text, { param: looser });
}

/** The limits in which two sets differ, as the second has them. */
export function changedLimits(before: ParsedLimits, after: ParsedLimits): ParsedLimits {
  const same = (name: LimitName): boolean => isWithin(before[name], after[name]) && isWithin(after[name], before[name]);
  return Object.fromEntries(
    names.filter((name) => after[name] !== undefined && !same(name)).map((name) => [name, after[name]]),
  );
}
