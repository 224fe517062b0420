import assert from "node:assert/strict";
import { type OddMode, testOddProviders } from "@uag/harness/odd-provider/run";
import type { ReceivedResponse } from "@uag/harness/start-operations";
import { cases } from "./odd-provider/cases.ts";
import { type Dialect, dialects, type SeenStream, text } from "./odd-provider/dialects.ts";
import { startChat } from "./support.ts";

const catalog = (url: string): string => `
providers:
  one: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret, timeouts: &timeouts { first_byte: 20s, between_chunks: 1s, total: 30s } }
  claude: { protocol: anthropic, base_url: "${url}", api_key: sk-upstream-secret, timeouts: *timeouts }
  gemini: { protocol: gemini, base_url: "${url}", api_key: sk-upstream-secret, timeouts: *timeouts }
models:
  - &plain
    id: plain
    owned_by: acme
    created: 2026-01-02
    operations: [chat.completions, responses, messages]
    context_tokens: 100000
    max_output_tokens: 1000
    price: { input_tokens: 1, output_tokens: 2 }
    upstreams: [{ provider: one }]
  - { <<: *plain, id: claude, upstreams: [{ provider: claude }] }
  - { <<: *plain, id: gemini, upstreams: [{ provider: gemini }] }
`;
/** A stream as parsed by the SDK of the client's format; an event that it cannot parse throws. */
function seenIn(stream: string, dialect: Dialect): SeenStream {
  const seen: SeenStream = { text: "", ended: false, error: false };
  for (const block of stream.replaceAll("\r\n", "\n").split("\n\n")) {
    const lines = block.split("\n").filter((line) => !line.startsWith(":"));
    const of = (field: string): string =>
      lines
        .filter((line) => line.startsWith(`${field}:`))
        .map((line) => line.slice(field.length + 1).replace(/^ /, ""))
        .join("\n");
    if (of("data") === "") continue;
    assert.equal(seen.error || seen.ended, false, `nothing follows the end: ${block}`);
    dialect.take(seen, of("event"), of("data"));
  }
  return seen;
}

function checkWhole(response: ReceivedResponse, dialect: Dialect): void {
  assert.equal(dialect.textOf(response.json() as never), text);
}

function checkStream(response: ReceivedResponse, dialect: Dialect, broken: boolean): void {
  const seen = seenIn(response.text.replace(/<cut: .*>$/, ""), dialect);
  assert.deepEqual([seen.ended, seen.error], [!broken, broken]);
  assert.ok(broken || seen.text === text, seen.text);
}

/** Gemini reports usage without candidates when it blocks a response. */
const blocked = {
  client: "complete",
  check: ({ text: body }: ReceivedResponse) => assert.match(body, /NO_CONTENT/),
} as const;
const geminiDiffers: OddMode["differs"] = {
  "usage without content": blocked,
  // The event with its usage is its end.
  "no end": { bill: "bound" },
  // The provider charges for no more than it has sent.
  "an error event in the middle": { bill: "estimate" },
};
/** A provider that stops when its stream is closed charges for no more than was received. */
const stopsDiffers: OddMode["differs"] = Object.fromEntries(
  [
    "half an event at its end",
    "an error event in the middle",
    "silence after its first text",
    "a reset after its first text",
    "text without an end",
  ].map((name) => [name, { bill: "estimate" }]),
);

const modeOf = (dialect: Dialect, stream: boolean): OddMode<Dialect> => ({
  name: `a ${stream ? "stream" : "response"} to ${dialect.name}`,
  wire: dialect,
  stream,
  streamsToClient: stream,
  operation: dialect.operation,
  body: (marker) => ({ model: dialect.model, ...dialect.body(marker, stream) }),
  usageNanoUsd: 20_000n,
  boundNanoUsd: BigInt(dialect.maxTokens) * 2_000n,
  ...(dialect.model === "gemini" ? { differs: geminiDiffers } : stream && { differs: stopsDiffers }),
  check: (response, client) =>
    stream ? checkStream(response, dialect, client === "broken") : checkWhole(response, dialect),
});

testOddProviders({
  modes: dialects.flatMap((dialect) => [modeOf(dialect, true), modeOf(dialect, false)]),
  cases,
  start: (url) => startChat({ catalog: catalog(url) }),
});
