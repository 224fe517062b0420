import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { goldenFiles, unitsAsNumbers } from "../../test/golden.ts";
import { cutAnywhere } from "../../test/random.ts";
import { firstUpstream, testCall, testModel } from "../../test/support.ts";
import { passedCall } from "./messages.ts";
import { AnthropicStream } from "./stream.ts";

const upstream = firstUpstream(testModel("", "anthropic"));
const wire = goldenFiles.find(({ name }) => name === "chat-anthropic.json")?.streams[0]?.upstream ?? [];
const bytes = Buffer.from(`: hello\n\n${wire.join("")}`);
const run = (pieces: readonly Buffer[]) => {
  const stream = new AnthropicStream(upstream);
  const out: Buffer[] = [];
  for (const piece of pieces) out.push(...stream.push(piece));
  out.push(...stream.end());
  return { stream, text: Buffer.concat(out).toString("utf8") };
};

test("forwards every event unchanged wherever the stream is split, and holds the last one until the bill is written", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const { stream, text } = run(cutAnywhere(bytes, seededRandom(seed)));
    assert.equal(stream.state, "finished");
    assert.equal(text + stream.closing.toString("utf8"), bytes.toString("utf8"), `seed ${seed}`);
    assert.ok(!text.includes("message_stop"));
    assert.equal(unitsAsNumbers(stream.usage?.units)["output_tokens"], 89);
  }
});

test("counts delivered text from content of every kind", () => {
  const { stream } = run([bytes]);
  assert.equal(stream.delivered.text, 'Need the weather 🌦Où?get_weather{"city": "Oslo"}now');
});

test("a stream without its last event fails, with the prompt's tokens already counted", () => {
  const { stream } = run([Buffer.from(wire.slice(0, 6).join(""))]);
  assert.equal(stream.state, "failed");
  assert.equal(stream.failure?.kind, "transient");
  assert.equal(stream.usage, undefined);
  assert.equal(unitsAsNumbers(stream.soFar?.units)["cached_input_tokens"], 12_000);
});

test("an error in the stream reaches the client without our secrets", () => {
  const event =
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"sk-secret-key"}}\n\n';
  const { stream, text } = run([Buffer.from(wire.slice(0, 3).join("") + event)]);
  assert.equal(stream.state, "failed");
  assert.equal(text, wire.slice(0, 3).join(""));
  assert.match(stream.failure?.body?.toString("utf8") ?? "", /overloaded_error.*\[redacted\]/);
});

test("changes only the bytes of a request that the upstream requires to change", () => {
  const model = testModel("", "anthropic");
  const body = '{ "model":"m","max_tokens":5, "new_beta_field":{"x":12345678901234567890},"temperature":0.5 }';
  const headers = ["anthropic-beta", "a,b", "anthropic-version", "2023-06-01", "anthropic-future", "x"];
  const named = (name: string) => ({ ...upstream, model: name });
  const older = passedCall(testCall(body, model, { headers }), named("claude-sonnet-4-5"), "/v1/messages");
  assert.equal(older.body.toString("utf8"), body.replace('"m"', '"claude-sonnet-4-5"'));
  assert.deepEqual(older.headers.slice(-6), headers);
  const newer = passedCall(testCall(body, model, { headers }), named("claude-opus-4-8"), "/v1/messages");
  assert.equal(newer.body.includes("temperature"), false);
  const newest = passedCall(
    testCall(body, model, { headers: ["anthropic-version", "2026-10-21"] }),
    named("claude-sonnet-4-5"),
    "/v1/messages",
  );
  assert.equal(newest.body.includes("temperature"), false);
  const plain = passedCall(testCall('{"model":"m"}', model), named("m"), "/v1/messages");
  assert.deepEqual(plain.headers.slice(-2), ["anthropic-version", "2023-06-01"]);
  assert.equal(plain.body.toString("utf8"), '{"model":"m"}');
});
