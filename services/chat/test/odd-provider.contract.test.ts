import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { type OddProvider, startOddProvider } from "@uag/testing/odd-provider.ts";
import type { OperationsHarness, ReceivedResponse } from "@uag/testing/start-operations.ts";
import { cases, type OddCase } from "./odd-provider/cases.ts";
import { type Dialect, dialects, type SeenStream, text } from "./odd-provider/dialects.ts";
import { startChat } from "./support.ts";

const catalog = (url: string): string => `
providers:
  one: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret, timeouts: { first_byte: 5s, between_chunks: 5s } }
  claude: { protocol: anthropic, base_url: "${url}", api_key: sk-upstream-secret, timeouts: { first_byte: 5s, between_chunks: 5s } }
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
`;
const usageNanoUsd = 20_000n;

/** What the SDK of the client's format makes of a stream; an event that it cannot parse throws. */
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

function checkClient(response: ReceivedResponse, odd: OddCase, { dialect, stream }: Mode): void {
  if (odd.client === "error") {
    assert.ok(response.status >= 400, `${response.status}`);
    assert.equal(typeof response.json()["error"], "object");
    return;
  }
  assert.equal(response.status, 200);
  if (!stream) {
    assert.equal(dialect.textOf(response.json() as never), text);
    return;
  }
  const seen = seenIn(response.text.replace(/<cut: .*>$/, ""), dialect);
  const broken = odd.client === "broken";
  assert.deepEqual([seen.ended, seen.error, response.broken !== undefined], [!broken, broken, broken]);
  assert.ok(broken ? text.startsWith(seen.text) : seen.text === text, seen.text);
}

function checkBill({ admission }: OperationsHarness, requestId: string, odd: OddCase): void {
  const bill = admission.billOf(requestId);
  assert.ok(bill !== undefined, "there is one bill");
  const { costNanoUsd, pricing, attempts } = bill;
  assert.equal(attempts, odd.calls, "the bill has every call");
  if (odd.bill === "usage") assert.deepEqual([costNanoUsd, pricing], [usageNanoUsd, Pricing.EXACT]);
  else if (odd.bill === "free") assert.equal(costNanoUsd, 0n);
  else assert.ok(costNanoUsd > 0n && pricing === Pricing.ESTIMATED, `${costNanoUsd} ${pricing}`);
}

interface Mode {
  readonly dialect: Dialect;
  readonly stream: boolean;
}

const modes = dialects.flatMap((dialect) => [true, false].map((stream): Mode => ({ dialect, stream })));
for (const [place, mode] of modes.entries()) {
  const { dialect, stream } = mode;
  const kind = stream ? "stream" : "whole";
  describe(`a ${stream ? "stream" : "response"} to ${dialect.name}`, { concurrency: 16 }, () => {
    const opened = new AsyncDisposableStack();
    let provider: OddProvider;
    let harness: OperationsHarness;
    before(async () => {
      provider = opened.use(await startOddProvider());
      harness = opened.use(await startChat({ catalog: catalog(provider.url) }));
    });
    after(() => opened.disposeAsync());
    for (const [index, odd] of cases.entries()) {
      if (odd.kind !== undefined && odd.kind !== kind) continue;
      test(`with ${odd.name}: the client sees it ${odd.client}, it is ${odd.bill}, calls: ${odd.calls}`, async () => {
        const marker = `case-${place}_${index}`;
        provider.respond(marker, odd.respond(dialect, stream));
        const body = { model: dialect.model, ...dialect.body(marker, stream) };
        const response = await harness.call(dialect.operation, body, { requestId: marker });
        const shown = `${response.status} ${response.text.slice(0, 2_000)}`;
        assert.equal(provider.callsOf(marker), odd.calls, shown);
        try {
          checkClient(response, odd, mode);
          checkBill(harness, marker, odd);
        } catch (error) {
          throw new Error(shown, { cause: error });
        }
      });
    }
  });
}
