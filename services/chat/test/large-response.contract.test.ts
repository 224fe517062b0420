import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { startUpstream } from "@uag/harness/upstream";
import { SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { catalogOf, chat, usage } from "./fixtures.ts";
import { startChat } from "./support.ts";

const bytes = 70 * 1024 * 1024;

test("bills a response above the size limit once, by the usage at its end", async () => {
  await using upstream = await startUpstream();
  await using harness = await startChat({ catalog: catalogOf(upstream.url) });
  const piece = '{"token":"x","logprob":-1.5},'.repeat(1_000);
  upstream.script = async (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"choices":[{"message":{"content":"Hi"},"logprobs":{"content":[');
    for (let sent = 0; sent < bytes; sent += piece.length) if (!response.write(piece)) await once(response, "drain");
    response.end(`{}]}}],"usage":${JSON.stringify(usage)}}`);
  };
  const response = await harness.call("chat.completions", chat());
  const settlement = harness.admission.booked[0]?.settlement;
  assert.deepEqual([response.status, upstream.received.length], [502, 1]);
  assert.deepEqual([settlement?.costNanoUsd, settlement?.settlementRule], [20_000n, SettlementRule.FAILED_USAGE]);
});
