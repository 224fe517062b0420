import { type Entry, oneRequest, type SpendLog } from "../compare/entry.ts";
import type { Live } from "../live.ts";
import type { Period } from "../source.ts";
import type { Folder } from "./folder.ts";
import { modelOf } from "./models.ts";
import { type Activity, activity } from "./records.ts";

const nanoPerUsd = 1_000_000_000;
const dateLength = 10;

/** Sums of OpenRouter; it does not say which tokens were cached. */
function entryOf(row: Activity, live: Live): Entry {
  const { date, model, usage, requests, prompt_tokens: input, completion_tokens: output } = row;
  const ownKey = usage === 0 && (row.byok_usage_inference ?? 0) > 0;
  return {
    ...oneRequest,
    id: model,
    ids: [model],
    keyId: undefined,
    model: modelOf(live, model),
    startedMs: Date.parse(`${date.slice(0, dateLength)}T00:00:00Z`),
    requests: BigInt(requests),
    tokens: {
      input_tokens: BigInt(input),
      cached_input_tokens: 0n,
      cache_write_5m_tokens: 0n,
      cache_write_1h_tokens: 0n,
      output_tokens: BigInt(output),
    },
    costNanoUsd: BigInt(Math.round(usage * nanoPerUsd)),
    unbilled: ownKey ? "your provider's key paid for it" : undefined,
  };
}

/** OpenRouter's activity in a period of whole days. */
export async function readActivity(folder: Folder, live: Live, { fromMs, untilMs }: Period): Promise<SpendLog> {
  const entries = (await folder.records("activity", activity)).map((row) => entryOf(row, live));
  return {
    entries: entries.filter(({ startedMs }) => startedMs >= fromMs && startedMs < untilMs),
    roundingNanoUsd: 1n,
    countsCache: false,
  };
}
