import { z } from "zod";
import { type Entry, oneRequest, type SpendLog } from "../compare/entry.ts";
import type { Dump } from "../dump/row.ts";
import type { Live } from "../live.ts";
import type { Period } from "../source.ts";
import { originOf } from "./keys.ts";
import { type RowOf, tables } from "./tables.ts";

const count = z.coerce.number().nullish();
const usage = z.object({
  prompt_tokens_details: z.object({ cached_tokens: count, cache_creation_tokens: count }).nullish(),
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
});
const metadata = z.object({ usage_object: usage.nullish(), litellm_call_id: z.string().nullish() }).catch({});

const nanoPerUsd = 1_000_000_000;

/** Prompt tokens contain cached ones, and those that were written to a cache. */
function tokensOf(
  { prompt_tokens: prompt, completion_tokens: output }: RowOf<"SpendLogs">,
  used: z.output<typeof usage>,
) {
  const { prompt_tokens_details: details, cache_read_input_tokens: read, cache_creation_input_tokens: made } = used;
  const cached = details?.cached_tokens ?? read ?? 0;
  const written = made ?? details?.cache_creation_tokens ?? 0;
  return {
    input_tokens: BigInt(Math.max(0, (prompt ?? 0) - cached - written)),
    cached_input_tokens: BigInt(cached),
    cache_write_5m_tokens: BigInt(written),
    cache_write_1h_tokens: 0n,
    output_tokens: BigInt(output ?? 0),
  };
}

function entryOf(row: RowOf<"SpendLogs">, { models, imported }: Live): Entry {
  const { request_id: id, api_key: token, model_group: group, model, spend, cache_hit: hit, status } = row;
  const { usage_object: used, litellm_call_id: call } = metadata.parse(row.metadata);
  const known = models.get(group ?? "") ?? models.get(model?.replace(/^[^/]*\//, "") ?? "");
  const reasons = [
    hit === "True" ? "its response was in LiteLLM's cache" : "",
    status === "failure" ? "it failed" : "",
  ];
  return {
    id,
    ids: [id, ...(call ? [call] : [])],
    keyId: imported.get(originOf(token ?? ""))?.id,
    model: known?.id,
    startedMs: Date.parse(`${row.startTime.replace(" ", "T")}Z`),
    tokens: tokensOf(row, used ?? {}),
    costNanoUsd: BigInt(Math.round((spend ?? 0) * nanoPerUsd)),
    ...oneRequest,
    unbilled: reasons.find((reason) => reason !== ""),
  };
}

/** LiteLLM's spend log of a period. */
export async function readSpendLog(dump: Dump, live: Live, { fromMs, untilMs }: Period): Promise<SpendLog> {
  const entries: Entry[] = [];
  for await (const row of dump.rows("LiteLLM_SpendLogs")) {
    const entry = entryOf(tables.read("SpendLogs", row), live);
    if (entry.startedMs >= fromMs && entry.startedMs < untilMs) entries.push(entry);
  }
  return { entries, roundingNanoUsd: 1n, countsCache: true };
}
