import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { firstUpstream, testCall, testModel } from "../../test/support.ts";
import { OpenAiStream } from "./stream.ts";
import { openAiVariant } from "./variant.ts";

const model = testModel();
const open = (usageWanted: boolean) =>
  new OpenAiStream(
    testCall('{"model":"m","stream":true}', model, { usageWanted }),
    firstUpstream(model),
    openAiVariant,
  );
const event = (fields: object): string =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content: 'é"usage":{🎉' } }], ...fields })}\n\n`;
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const usageOnly = `data: {"choices":[],"usage": ${JSON.stringify(usage)} }\n\n`;
const done = "data: [DONE]\n\n";

test("passes every chunk but the usage chunk through unchanged, wherever the stream is split", () => {
  const body = [event({}), ": ping\n\n", event({ usage: null }), event({}).replaceAll("\n", "\r\n"), event({})];
  for (let seed = 1; seed <= 300; seed++) {
    const next = seededRandom(seed);
    const usageWanted = next() < 0.5;
    const bytes = Buffer.from([...body, usageOnly, done].join(""));
    const stream = open(usageWanted);
    const out: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + Math.floor(next() * (next() < 0.5 ? 5 : 400));
      out.push(...stream.push(Buffer.from(bytes.subarray(at, at + size))));
      at += size;
    }
    out.push(...stream.end());
    assert.equal(Buffer.concat(out).toString(), body.join(""), `seed ${seed}`);
    assert.equal(stream.state, "finished");
    assert.equal(stream.closing.toString(), usageWanted ? usageOnly + done : done);
    assert.equal(stream.usage?.raw.toString(), JSON.stringify(usage));
    assert.equal(stream.delivered.text, 'é"usage":{🎉'.repeat(4));
  }
});

test("returns events that arrive together as one slice of the same buffer", () => {
  const bytes = Buffer.from(event({}) + event({}) + event({}));
  const out = open(false).push(bytes);
  assert.equal(out.length, 1);
  assert.equal(out[0]?.buffer, bytes.buffer);
});

test("ignores bytes after the terminator", () => {
  const stream = open(false);
  assert.equal(Buffer.concat(stream.push(Buffer.from(event({}) + done + event({})))).toString(), event({}));
  assert.deepEqual(stream.push(Buffer.from(event({}))), []);
});

test("an error event fails the stream and is not forwarded to the client", () => {
  for (const text of [
    'data: {"error":{"message":"m","type":"server_error"}}\n\n',
    'event: error\ndata: {"error":{"message":"m"}}\n\n',
  ]) {
    const stream = open(false);
    assert.deepEqual(stream.push(Buffer.from(text)), []);
    assert.equal(stream.state, "failed");
    assert.equal(stream.failure?.kind, "transient");
  }
});

test("forwards a chunk that only mentions an error, or whose error is null", () => {
  const text = event({ error: null }) + event({ choices: [{ delta: { content: 'say "error"' } }] });
  const stream = open(false);
  assert.equal(Buffer.concat(stream.push(Buffer.from(text))).toString(), text);
  assert.equal(stream.state, "open");
});

test("a stream that ends early fails, and its unterminated last event is terminated", () => {
  const stream = open(false);
  stream.push(Buffer.from(`${event({})}data: {"choices":[]}`));
  assert.equal(Buffer.concat(stream.end()).toString(), 'data: {"choices":[]}\n\n');
  assert.equal(stream.failure?.kind, "transient");
});

test("changes only a usage object that differs from OpenAI's form", () => {
  const beside = { ...usage, total_tokens: 12, completion_tokens_details: { reasoning_tokens: 5 } };
  const last = `data: {"id":"c","choices":[],"usage":${JSON.stringify(beside)},"x":1e400}\n\n`;
  const stream = open(true);
  const out = Buffer.concat(stream.push(Buffer.from([event({}), ": ping\n\n", last, done].join("")))).toString();
  const reported = last.replace('"completion_tokens":4', '"completion_tokens":9');
  assert.equal(out, `${event({})}: ping\n\n`);
  assert.equal(stream.closing.toString(), reported + done);
  assert.equal(stream.usage?.raw.toString(), JSON.stringify(beside));
});
