import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { entryOf } from "./spend-log.ts";
import { tables } from "./tables.ts";

const reading = {
  live: {
    accounts: new Map(),
    budgets: [],
    imported: new Map(),
    providers: new Map(),
    templates: new Map(),
    models: new Map(),
  },
  origins: new Map(),
  nanoPerUnit: 2_000,
};
const entry = (fields: Readonly<Record<string, string>>, other: object) =>
  entryOf(
    tables.read("logs", {
      id: "7",
      created_at: "1000",
      type: "2",
      quota: "50",
      prompt_tokens: "100",
      completion_tokens: "10",
      use_time: "4",
      other: JSON.stringify(other),
      ...fields,
    }),
    reading,
  );

describe("the log of new-api", () => {
  test("a row has its cost in nano-USD, and began before it was written", () => {
    const { id, costNanoUsd, startedMs, ratio } = entry({}, { group_ratio: 0.5, user_group_ratio: -1 });
    assert.deepEqual([id, costNanoUsd, startedMs, ratio], ["log 7", 100_000n, 996_000, 0.5]);
    assert.equal(entry({}, { group_ratio: 0.5, user_group_ratio: 0.25 }).ratio, 0.25);
    assert.deepEqual(entry({ request_id: "2026" }, {}).ids, ["2026"]);
  });

  test("a refund is negative, and a failure is not billed", () => {
    assert.equal(entry({ type: "6" }, {}).costNanoUsd, -100_000n);
    assert.equal(entry({ type: "5", quota: "0" }, {}).unbilled, "it failed");
  });

  test("prompt tokens contain those of the cache in OpenAI's format, but not in Anthropic's", () => {
    const cache = { cache_tokens: 60, cache_creation_tokens: 30, cache_creation_tokens_1h: 20 };
    const cached = { cached_input_tokens: 60n, cache_write_5m_tokens: 10n, cache_write_1h_tokens: 20n };
    assert.deepEqual(entry({}, cache).tokens, { ...cached, input_tokens: 10n, output_tokens: 10n });
    assert.deepEqual(entry({}, { ...cache, claude: true }).tokens, {
      ...cached,
      input_tokens: 100n,
      output_tokens: 10n,
    });
  });
});
