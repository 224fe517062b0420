import { z } from "zod";
import type { Dump } from "../dump/row.ts";
import { perMillion } from "../names.ts";
import { tables } from "./tables.ts";

const ratios = z.record(z.string(), z.number());
/** What new-api computes with until its operator changes it. */
const usualUnitsPerUsd = 500_000;
const usualGroups = ["default"];

/** Settings of new-api, as far as its database has them: it stores only those that were changed. */
export interface Settings {
  /** Units of quota in a USD. */
  readonly unitsPerUsd: number;
  /** What a group's prices are multiplied by; a group that is missing has 1. */
  readonly groupRatio: Readonly<Record<string, number>>;
  /** The groups that a token of the group `auto` uses. */
  readonly autoGroups: readonly string[];
  /** Units of quota a token, by model. */
  readonly modelRatio: Readonly<Record<string, number>>;
  /** How many times the input's price the output costs, by model. */
  readonly completionRatio: Readonly<Record<string, number>>;
  /** The same for tokens that were read from a cache. */
  readonly cacheRatio: Readonly<Record<string, number>>;
}

function parsed<T>(value: string | null | undefined, schema: z.ZodType<T>, usual: T): T {
  if (!value) return usual;
  try {
    return schema.catch(usual).parse(JSON.parse(value));
  } catch (error) {
    // new-api ignores a setting that is not JSON as well.
    if (error instanceof SyntaxError) return usual;
    throw error;
  }
}

/** The settings in a database. */
export async function readSettings(dump: Dump): Promise<Settings> {
  const options = new Map((await tables.rows(dump, "options")).map(({ key, value }) => [key, value]));
  const ratio = (key: string) => parsed(options.get(key), ratios, {});
  return {
    unitsPerUsd: Number(options.get("QuotaPerUnit")) || usualUnitsPerUsd,
    groupRatio: ratio("GroupRatio"),
    autoGroups: parsed(options.get("AutoGroups"), z.array(z.string()), usualGroups),
    modelRatio: ratio("ModelRatio"),
    completionRatio: ratio("CompletionRatio"),
    cacheRatio: ratio("CacheRatio"),
  };
}

/** USD per million tokens of a model; undefined: the database does not have its ratios. */
export function priceOf(model: string, settings: Settings): Record<string, number> | undefined {
  const { modelRatio, completionRatio, cacheRatio, unitsPerUsd } = settings;
  const [ratio, output, cached] = [modelRatio[model], completionRatio[model], cacheRatio[model]];
  if (ratio === undefined || output === undefined) return undefined;
  const price = (times: number): number => perMillion((ratio * times) / unitsPerUsd);
  return {
    input_tokens: price(1),
    output_tokens: price(output),
    ...(cached !== undefined && { cached_input_tokens: price(cached) }),
  };
}
