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
    "all usage in one report",
    [last({ input_tokens: 9, output_tokens: 12 })],
    { input_tokens: 9, output_tokens: 12 },
    { input_tokens: 9, output_tokens: 12 },
  ],
  [
    "the prompt's usage first, the output's last",
    [start({ input_tokens: 25, cache_read_input_tokens: 5, output_tokens: 1 }), last({ output_tokens: 15 })],
    { input_tokens: 25, cached_input_tokens: 5, output_tokens: 15 },
    { input_tokens: 25, cached_input_tokens: 5, output_tokens: 15 },
  ],
  [
    "cumulative reports: the last non-null value of each field counts",
    [
      start({ input_tokens: 25, cache_read_input_tokens: 5, output_tokens: 1 }),
      start({ output_tokens: 7 }),
      last({ input_tokens: 30, cache_read_input_tokens: null, output_tokens: 15 }),
    ],
    { input_tokens: 30, cached_input_tokens: 5, output_tokens: 15 },
    { input_tokens: 30, cached_input_tokens: 5, output_tokens: 15 },
  ],
  [
    "the same report twice",
    [start({ input_tokens: 25, output_tokens: 1 }), last({ output_tokens: 15 }), last({ output_tokens: 15 })],
    { input_tokens: 25, output_tokens: 15 },
    { input_tokens: 25, output_tokens: 15 },
  ],
  [
    "a stream cut off before its end: the prompt's usage and part of the output's",
    [start({ input_tokens: 25, output_tokens: 1 }), start({ output_tokens: 7 })],
    undefined,
    { input_tokens: 25, output_tokens: 7 },
  ],
  [
    "a final report without output tokens",
    [start({ input_tokens: 25, output_tokens: 1 }), last({ input_tokens: 25 })],
    undefined,
    { input_tokens: 25, output_tokens: 1 },
  ],
  [
    "cache writes by lifetime",
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
    "cache writes without a breakdown by lifetime",
    [last({ input_tokens: 1, cache_creation_input_tokens: 300, cache_creation: null, output_tokens: 1 })],
    { input_tokens: 1, cache_write_5m_tokens: 300, output_tokens: 1 },
    { input_tokens: 1, cache_write_5m_tokens: 300, output_tokens: 1 },
  ],
  [
    "thinking included in the output, searches counted separately",
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
    "fast mode as units of its own",
    [last({ input_tokens: 1, output_tokens: 2, speed: "fast" })],
    { "input_tokens:fast": 1, "output_tokens:fast": 2 },
    { "input_tokens:fast": 1, "output_tokens:fast": 2 },
  ],
  [
    "the sum of the model runs of a response with a compaction, which the top level omits",
    [
      start({ input_tokens: 900, output_tokens: 3 }),
      last({
        input_tokens: 40,
        output_tokens: 7,
        iterations: [
          { type: "compaction", input_tokens: 900, output_tokens: 50, cache_read_input_tokens: 8 },
          { type: "message", input_tokens: 40, output_tokens: 7, cache_creation: { ephemeral_1h_input_tokens: 5 } },
        ],
      }),
    ],
    { input_tokens: 940, cached_input_tokens: 8, cache_write_1h_tokens: 5, output_tokens: 57 },
    { input_tokens: 940, cached_input_tokens: 8, cache_write_1h_tokens: 5, output_tokens: 57 },
  ],
  [
    "tokens of another model as units of their own, whatever the top level counts",
    [
      last({
        input_tokens: 45,
        output_tokens: 70,
        iterations: [
          { type: "message", model: "claude-sonnet-4-5-20250929", input_tokens: 41, output_tokens: 0 },
          { type: "fallback_message", model: "claude-opus-4-8", input_tokens: 45, output_tokens: 70, speed: "fast" },
        ],
      }),
    ],
    { input_tokens: 41, "input_tokens:claude-opus-4-8:fast": 45, "output_tokens:claude-opus-4-8:fast": 70 },
    { input_tokens: 41, "input_tokens:claude-opus-4-8:fast": 45, "output_tokens:claude-opus-4-8:fast": 70 },
  ],
  [
    "tokens of another model as units of their own, even if it is the only one",
    [
      last({
        input_tokens: 4,
        output_tokens: 7,
        iterations: [{ type: "fallback_message", model: "claude-opus-4-8", input_tokens: 4, output_tokens: 7 }],
      }),
    ],
    { "input_tokens:claude-opus-4-8": 4, "output_tokens:claude-opus-4-8": 7 },
    { "input_tokens:claude-opus-4-8": 4, "output_tokens:claude-opus-4-8": 7 },
  ],
  [
    "an iteration that cannot be counted",
    [
      last({
        input_tokens: 4,
        output_tokens: 7,
        iterations: [{ type: "message", input_tokens: 4, output_tokens: 7 }, { type: "message" }],
      }),
    ],
    { input_tokens: 4, output_tokens: 7, unreadable_iterations: 1 },
    { input_tokens: 4, output_tokens: 7, unreadable_iterations: 1 },
  ],
  [
    "a single iteration of the requested model, from the top level",
    [last({ input_tokens: 4, output_tokens: 7, iterations: [{ input_tokens: 4, output_tokens: 7 }] })],
    { input_tokens: 4, output_tokens: 7 },
    { input_tokens: 4, output_tokens: 7 },
  ],
  [
    "no uses that are billed as tokens alone, and unknown uses under their own names",
    [
      last({
        input_tokens: 1,
        output_tokens: 2,
        server_tool_use: { web_fetch_requests: 3, tool_search_requests: 2, code_runs: 4 },
      }),
    ],
    { input_tokens: 1, output_tokens: 2, code_runs: 4 },
    { input_tokens: 1, output_tokens: 2, code_runs: 4 },
  ],
  [
    "unknown counts under their own names",
    [last({ input_tokens: 1, output_tokens: 2, new_tokens: 5, cache_creation: { ephemeral_24h_input_tokens: 7 } })],
    { input_tokens: 1, output_tokens: 2, new_tokens: 5, ephemeral_24h_input_tokens: 7 },
    { input_tokens: 1, output_tokens: 2, new_tokens: 5, ephemeral_24h_input_tokens: 7 },
  ],
  ["never", [start(undefined), last(null)], undefined, undefined],
  ["only zeros, which count as no usage", [last({ input_tokens: 0, output_tokens: 0 })], undefined, undefined],
  ["negative", [last({ input_tokens: -1, output_tokens: 4 })], undefined, undefined],
];

for (const [what, reported, report, soFar] of golden) {
  test(`reads Anthropic's usage: ${what}`, () => {
    const usage = new AnthropicUsage("claude-sonnet-4-5");
    for (const { usage: fields, final } of reported) usage.add(fields, { final });
    assert.deepEqual(usage.report && unitsAsNumbers(usage.report.units), report);
    assert.deepEqual(usage.soFar && unitsAsNumbers(usage.soFar.units), soFar);
  });
}
