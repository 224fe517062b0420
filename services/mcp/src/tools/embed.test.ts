import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { startStage } from "../../test/stage.ts";

const mebi = 1024 * 1024;
const inputs = 2_048;
const dimensions = 3_072;

/** The gateway's largest response to a call of `embed`, in base64. */
function largest(): Buffer {
  const floats = Float32Array.from({ length: dimensions }, (_, index) => Math.sin(index + 1) / 50);
  const vector = Buffer.from(floats.buffer).toString("base64");
  const item = (index: number): string => `{"object":"embedding","index":${index},"embedding":"${vector}"}`;
  const items = Array.from({ length: inputs }, (_, index) => item(index)).join(",");
  const usage = `{"prompt_tokens":${inputs},"total_tokens":${inputs}}`;
  return Buffer.from(`{"object":"list","model":"vectors","data":[${items}],"usage":${usage}}`);
}

test("the largest call of embed takes short turns of the event loop, and its response is held within the budget", async (t) => {
  const response = largest();
  const respond = (out: ServerResponse) => out.setHeader("content-type", "application/json").end(response);
  const { call, buffers, lines } = await startStage(t, { model: "vectors", operation: "embeddings", respond });
  const args = { model: "vectors", texts: Array.from({ length: inputs }, () => "a") };
  const params = { name: "embed", arguments: args };
  assert.ok(JSON.stringify(params).length < 16 * 1024, "a small request");
  let held = 0;
  const read = async (): Promise<{ bytes: number; start: string }> => {
    const responded = await call(params);
    assert.equal(responded.status, 200, JSON.stringify(lines));
    let bytes = 0;
    let start = "";
    for await (const chunk of responded.body ?? []) {
      held = Math.max(held, buffers.held);
      bytes += chunk.length;
      if (start.length < 500) start += Buffer.from(chunk).toString("latin1");
    }
    return { bytes, start };
  };
  await read();
  let result = { bytes: 0, start: "" };
  await assertShortTurns(async () => {
    result = await read();
  });
  assert.ok(result.bytes > 60 * mebi, `${result.bytes} bytes: ${result.start.slice(0, 500)}`);
  assert.ok(held >= response.length, `${held} bytes were held`);
  assert.equal(buffers.held, 0);
});
