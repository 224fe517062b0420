import assert from "node:assert/strict";
import { test } from "node:test";
import { unitsAsNumbers } from "../../test/golden.ts";
import { AnthropicUsage } from "./usage.ts";

interface ReportedUsage {
  readonly usage: unknown;
  readonly final: boolean;
}
type Units = Record<string, number>;
type Golden = [what: string, reported: ReportedUsage[], report: Units | undefined, soFar: Units | undefined];

const start = (usage: unknown): ReportedUsage => ({ usage, final: false });
const last = (usage: unknown): ReportedUsage => ({ usage, final: true });

const golden: Golden[] = [
  [
    "all at once",
    [last({ input_tokens: 9, output_tokens: 12 })],
    { input_tokens: 9, output_tokens: 12 },
    { input_tokens: 9, output_tokens: 12 },
  ],
  [
    "the prompt first, the answer last",
    [start({ input_tokens: 25, cache_read_input_tokens: 5, output_tokens: 1 }), last({ output_tokens: 15 })],
    { input_tokens: 25, cached_input_tokens: 5, output_tokens: 15 },
    { input_tokens: 25, cached_input_tokens: 5, output_tokens: 15 },
  ],
  [
    "cumulative: the last of each field counts, null says nothing",
    [
      start({ input_tokens: 25, cache_read_input_tokens: 5, output_tokens: 1 }),
      start({ output_tokens: 7 }),
      last({ input_tokens: 30, cache_read_input_tokens: null, output_tokens: 15 }),
    ],
    { input_tokens: 30, cached_input_tokens: 5, output_tokens: 15 },
    { input_tokens: 30, cached_input_tokens: 5, output_tokens: 15 },
  ],
  [
    "twice the same",
    [start({ input_tokens: 25, output_tokens: 1 }), last({ output_tokens: 15 }), last({ output_tokens: 15 })],
    { input_tokens: 25, output_tokens: 15 },
    { input_tokens: 25, output_tokens: 15 },
  ],
  [
    "cut before the end: the prompt is known, the answer in part",
    [start({ input_tokens: 25, output_tokens: 1 }), start({ output_tokens: 7 })],
    undefined,
    { input_tokens: 25, output_tokens: 7 },
  ],
  [
    "an end without a count of the answer",
    [start({ input_tokens: 25, output_tokens: 1 }), last({ input_tokens: 25 })],
    undefined,
    { input_tokens: 25, output_tokens: 1 },
  ],
  [
    "cache writes by their life",
    [
      last({
        input_tokens: 1,
        cache_creation_input_tokens: 300,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
        output_tokens: 1,
      }),
    ],
    { input_tokens: 1, cache_write_5m_tokens: 100, cache_write_1h_tokens: 200, output_tokens: 1 },
    { input_tokens: 1, cache_write_5m_tokens: 100, cache_write_1h_tokens: 200, output_tokens: 1 },
  ],
  [
    "cache writes that are not told apart",
    [last({ input_tokens: 1, cache_creation_input_tokens: 300, cache_creation: null, output_tokens: 1 })],
    { input_tokens: 1, cache_write_5m_tokens: 300, output_tokens: 1 },
    { input_tokens: 1, cache_write_5m_tokens: 300, output_tokens: 1 },
  ],
  [
    "thinking is inside the output, searches are beside it",
    [
      last({
        input_tokens: 1,
        output_tokens: 90,
        output_tokens_details: { thinking_tokens: 60 },
        server_tool_use: { web_search_requests: 2 },
      }),
    ],
    { input_tokens: 1, output_tokens: 90, web_searches: 2 },
    { input_tokens: 1, output_tokens: 90, web_searches: 2 },
  ],
  [
    "fast mode never passes for the usual price",
    [last({ input_tokens: 1, output_tokens: 2, speed: "fast" })],
    { "input_tokens:fast": 1, "output_tokens:fast": 2 },
    { "input_tokens:fast": 1, "output_tokens:fast": 2 },
  ],
  ["never", [start(undefined), last(null)], undefined, undefined],
  ["zeros: nobody counted", [last({ input_tokens: 0, output_tokens: 0 })], undefined, undefined],
  ["negative", [last({ input_tokens: -1, output_tokens: 4 })], undefined, undefined],
];

for (const [what, reported, report, soFar] of golden) {
  test(`Anthropic's usage: ${what}`, () => {
    const usage = new AnthropicUsage();
    for (const { usage: fields, final } of reported) usage.add(fields, { final });
    assert.deepEqual(usage.report && unitsAsNumbers(usage.report.units), report);
    assert.deepEqual(usage.soFar && unitsAsNumbers(usage.soFar.units), soFar);
  });
}
