import { dayAfter, dayOf, startOf } from "@uag/runtime/utc-days";
import { scaledDecimal } from "@uag/untrusted/decimal";
import { z } from "zod";
import { type ReportAccess, readReport } from "../reports/client.ts";
import {
  attoUsdScale,
  type DayRange,
  type ProviderReports,
  ReportError,
  type ReportedCost,
  type ReportedUsage,
} from "../reports/types.ts";

const count = z.int().min(0).nullish();
const amount = z.union([z.number(), z.string()]);
const results = <T extends z.ZodType>(result: T) => z.object({ start_time: z.int(), results: z.array(result) });

const completions = z.object({
  model: z.string().nullish(),
  input_tokens: z.int().min(0),
  output_tokens: z.int().min(0),
  input_cached_tokens: count,
  input_cache_write_tokens: count,
  input_audio_tokens: count,
  input_cached_audio_tokens: count,
  output_audio_tokens: count,
});
const cost = z.object({
  amount: z.object({ value: amount, currency: z.string() }),
  line_item: z.string().nullish(),
});

type Completions = z.infer<typeof completions>;

/**
 * Splits a result into units of which none contains another. `input_tokens` includes cached and
 * cache-write tokens; `input_audio_tokens` is the uncached audio in it.
 */
function completionUnits(result: Completions): Record<string, number> {
  const cached = result.input_cached_tokens ?? 0;
  const written = result.input_cache_write_tokens ?? 0;
  const audio = result.input_audio_tokens ?? 0;
  const spoken = result.output_audio_tokens ?? 0;
  return {
    input_tokens: result.input_tokens - cached - written - audio,
    cached_input_tokens: cached,
    cache_write_5m_tokens: written,
    audio_input_tokens: audio,
    output_tokens: result.output_tokens - spoken,
    audio_output_tokens: spoken,
  };
}

interface Endpoint {
  readonly path: string;
  readonly result: z.ZodType;
  units(result: never): Record<string, number>;
}

const countsOf = <N extends string>(name: N) => z.object({ model: z.string().nullish(), [name]: z.int().min(0) });

/** The endpoints, and what each counts. */
const endpoints: readonly Endpoint[] = [
  { path: "completions", result: completions, units: completionUnits },
  {
    path: "embeddings",
    result: countsOf("input_tokens"),
    units: (result: { input_tokens: number }) => ({ input_tokens: result.input_tokens }),
  },
  { path: "images", result: countsOf("images"), units: (result: { images: number }) => ({ images: result.images }) },
  {
    path: "audio_speeches",
    result: countsOf("characters"),
    units: (result: { characters: number }) => ({ characters: result.characters }),
  },
];

/** Units of text generation by ours. Images in a prompt are part of the uncached input. */
const generated: Readonly<Record<string, string>> = {
  input_tokens: "input_tokens",
  image_input_tokens: "input_tokens",
  video_input_tokens: "input_tokens",
  cached_input_tokens: "cached_input_tokens",
  cached_audio_input_tokens: "cached_input_tokens",
  cache_write_5m_tokens: "cache_write_5m_tokens",
  audio_input_tokens: "audio_input_tokens",
  output_tokens: "output_tokens",
  audio_output_tokens: "audio_output_tokens",
};

function unitReported(operation: string, unit: string): string | undefined {
  const name = unit.split(":", 1)[0] as string;
  if (operation === "embeddings") return name === "input_tokens" ? name : undefined;
  if (operation.startsWith("images.")) return name === "images" ? name : undefined;
  if (operation.startsWith("audio.")) return name === "characters" ? name : undefined;
  return generated[name];
}

/** `gpt-4o-mini-2024-07-18` -> `gpt-4o-mini` */
const modelReported = (model: string): string => model.replace(/-\d{4}-\d{2}-\d{2}$/, "");

/** `gpt-4o-mini-2024-07-18, input` -> `gpt-4o-mini`; other lines belong to no model. */
function modelOfLine(line: string | null | undefined): string | undefined {
  const [model = "", item] = (line ?? "").split(", ", 2);
  return item === undefined ? undefined : modelReported(model);
}

const maxDays = "31";

function queryOf({ first, last }: DayRange, groupBy: string, projectId: string | undefined): URLSearchParams {
  const query = new URLSearchParams({
    start_time: String(startOf(first) / 1_000),
    end_time: String(startOf(dayAfter(last)) / 1_000),
    bucket_width: "1d",
    "group_by[]": groupBy,
    limit: maxDays,
  });
  if (projectId !== undefined) query.append("project_ids[]", projectId);
  return query;
}

const entryOf = <K, V>(map: Map<K, V[]>, key: K): V[] => {
  const found = map.get(key);
  if (found !== undefined) return found;
  const rows: V[] = [];
  map.set(key, rows);
  return rows;
};

async function readUsage(access: ReportAccess, query: URLSearchParams, signal: AbortSignal) {
  const found = new Map<string, ReportedUsage[]>();
  const seenBy = new Map<string, number>();
  for (const { path, result, units } of endpoints) {
    const request = { path: `/organization/usage/${path}`, query, bucket: results(result), signal };
    const days = new Set<string>();
    for (const bucket of await readReport(access, request)) {
      const day = dayOf(bucket.start_time * 1_000);
      const rows = entryOf(found, day);
      days.add(day);
      for (const row of bucket.results as { model?: string | null }[]) {
        const counts = Object.entries(units(row as never)).filter(([, quantity]) => quantity !== 0);
        const quantities = new Map(counts.map(([name, quantity]) => [name, BigInt(quantity)]));
        rows.push({ model: modelReported(row.model ?? ""), units: quantities });
      }
    }
    for (const day of days) seenBy.set(day, (seenBy.get(day) ?? 0) + 1);
  }
  // A day that one of the endpoints left out is not known.
  for (const day of found.keys()) if (seenBy.get(day) !== endpoints.length) found.delete(day);
  return found;
}

async function readCosts(access: ReportAccess, query: URLSearchParams, signal: AbortSignal) {
  const found = new Map<string, ReportedCost[]>();
  const request = { path: "/organization/costs", query, bucket: results(cost), signal };
  for (const bucket of await readReport(access, request)) {
    const rows = entryOf(found, dayOf(bucket.start_time * 1_000));
    for (const { amount: paid, line_item: line } of bucket.results) {
      const attoUsd = paid.currency === "usd" ? scaledDecimal(String(paid.value), attoUsdScale) : undefined;
      if (attoUsd === undefined) throw unreadable(access, `${paid.value} ${paid.currency}`);
      rows.push({ model: modelOfLine(line), attoUsd });
    }
  }
  return found;
}

const unreadable = ({ provider }: ReportAccess, text: string) =>
  new ReportError(`${provider}'s costs have an amount that is not in USD: ${text}.`);

/**
 * OpenAI's usage and costs of an organization
 * (https://platform.openai.com/docs/api-reference/usage). Days are UTC.
 * @param projectId counts only this project; undefined: the whole organization
 */
export function openAiReports(access: ReportAccess, projectId: string | undefined): ProviderReports {
  return {
    unitReported,
    modelReported,
    usage: (days, signal) => readUsage(access, queryOf(days, "model", projectId), signal),
    costs: (days, signal) => readCosts(access, queryOf(days, "line_item", projectId), signal),
  };
}
