import { z } from "zod";
import { type Entry, oneRequest, type SpendLog } from "../compare/entry.ts";
import type { Dump } from "../dump/row.ts";
import type { Live } from "../live.ts";
import type { Period } from "../source.ts";
import { originOf } from "./keys.ts";
import { readSettings } from "./settings.ts";
import { type RowOf, tables } from "./tables.ts";

type Log = RowOf<"logs">;

const nanoPerUsd = 1_000_000_000;
/** Types of rows: `model/log.go`. */
const types = { charge: 2, failure: 5, refund: 6 } as const;

const count = z.coerce.number().nullish();
/** What a row says of a request: `service/log_info_generate.go`. */
const details = z
  .object({
    group_ratio: count,
    user_group_ratio: count,
    upstream_model_name: z.string().nullish(),
    cache_tokens: count,
    cache_creation_tokens: count,
    cache_creation_tokens_5m: count,
    cache_creation_tokens_1h: count,
    /** The request was in Anthropic's format, whose count of prompt tokens is without those of the cache. */
    claude: z.boolean().nullish(),
  })
  .catch({} as never);

type Details = z.output<typeof details>;

function tokensOf({ prompt_tokens: prompt, completion_tokens: output }: Log, used: Details): Entry["tokens"] {
  const cached = used.cache_tokens ?? 0;
  const written = used.cache_creation_tokens ?? 0;
  const lasting = used.cache_creation_tokens_1h ?? 0;
  return {
    input_tokens: BigInt(used.claude === true ? prompt : Math.max(0, prompt - cached - written)),
    cached_input_tokens: BigInt(cached),
    cache_write_5m_tokens: BigInt(Math.max(0, written - lasting)),
    cache_write_1h_tokens: BigInt(lasting),
    output_tokens: BigInt(output),
  };
}

/** What rows are read with. */
interface Reading {
  readonly live: Live;
  /** Tokens' names here, by their id there. */
  readonly origins: ReadonlyMap<number, string>;
  readonly nanoPerUnit: number;
}

/** A row as a bill; its time is that of its end. */
export function entryOf(row: Log, { live, origins, nanoPerUnit }: Reading): Entry {
  const used = details.parse(row.other);
  const { models, imported } = live;
  const known = models.get(row.model_name ?? "") ?? models.get(used.upstream_model_name ?? "");
  const id = row.request_id || `log ${row.id}`;
  const sign = row.type === types.refund ? -1 : 1;
  // new-api writes -1 where a user has no ratio of their own.
  const ratioOfUser = used.user_group_ratio ?? -1;
  return {
    id,
    ids: [id],
    keyId: imported.get(origins.get(row.token_id ?? 0) ?? "")?.id,
    model: known?.id,
    startedMs: (row.created_at - (row.use_time ?? 0)) * 1_000,
    tokens: tokensOf(row, used),
    costNanoUsd: BigInt(Math.round(sign * row.quota * nanoPerUnit)),
    ...oneRequest,
    ratio: ratioOfUser >= 0 ? ratioOfUser : (used.group_ratio ?? 1),
    unbilled: row.type === types.failure ? "it failed" : undefined,
  };
}

/** new-api's log of a period: charges, failures and refunds. */
export async function readSpendLog(dump: Dump, live: Live, { fromMs, untilMs }: Period): Promise<SpendLog> {
  const { unitsPerUsd } = await readSettings(dump);
  const nanoPerUnit = nanoPerUsd / unitsPerUsd;
  const origins = new Map((await tables.rows(dump, "tokens")).map((token) => [token.id, originOf(token)]));
  const entries: Entry[] = [];
  for await (const found of dump.rows("logs")) {
    const row = tables.read("logs", found);
    if (!Object.values(types).some((type) => type === row.type)) continue;
    const entry = entryOf(row, { live, origins, nanoPerUnit });
    if (entry.startedMs >= fromMs && entry.startedMs < untilMs) entries.push(entry);
  }
  // A request is billed in whole units of quota.
  return { entries, roundingNanoUsd: BigInt(Math.ceil(nanoPerUnit)), countsCache: true };
}
