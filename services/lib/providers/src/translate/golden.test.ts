import assert from "node:assert/strict";
import { test } from "node:test";
import { goldenFiles, pairOf, steady, unitsAsNumbers } from "../../test/golden.ts";
import { UpstreamFailure } from "../failure.ts";

const { signal } = new AbortController();

for (const file of goldenFiles) {
  const pair = `${file.client} to ${file.protocol}`;
  for (const { title, sent, ...given } of file.requests) {
    test(`a request from ${pair} reaches the upstream as recorded: ${title}`, async () => {
      const { adapter, call, upstream } = pairOf(file, given);
      const encoded = await adapter.encode(call, upstream, signal);
      assert.deepEqual(JSON.parse(encoded.body.toString("utf8")), sent);
    });
  }

  for (const { title, param, ...given } of file.refused) {
    test(`${pair} rejects a request that cannot be translated before sending anything: ${title}`, async () => {
      const { adapter, call, upstream } = pairOf(file, given);
      const refused = (error: unknown): boolean => {
        assert.ok(error instanceof UpstreamFailure, String(error));
        assert.equal(error.kind, "client");
        assert.equal(error.reported?.param, param);
        return true;
      };
      await assert.rejects(async () => await adapter.encode(call, upstream, signal), refused);
    });
  }

  for (const { title, upstream: reported, client, units } of file.responses) {
    test(`a response from ${pair} reaches the client with all of its usage: ${title}`, () => {
      const { adapter, call, upstream } = pairOf(file);
      const whole = adapter.decode(Buffer.from(JSON.stringify(reported)), call, upstream);
      assert.deepEqual(JSON.parse(steady(whole.body.toString("utf8"))), client);
      assert.deepEqual(unitsAsNumbers(whole.usage?.units), units);
      assert.equal(JSON.parse(whole.usage?.raw.toString("utf8") ?? "null") === null, false);
    });
  }

  for (const { title, upstream: reported, client, units } of file.streams) {
    test(`a stream from ${pair} reaches the client with all of its usage: ${title}`, () => {
      const { adapter, call, upstream } = pairOf(file);
      const stream = adapter.openStream(call, upstream);
      const out = [...stream.push(Buffer.from(reported.join(""))), ...stream.end(), stream.closing];
      assert.equal(stream.state, "finished");
      assert.deepEqual(steady(Buffer.concat(out).toString("utf8")).split(/(?<=\n\n)/), client);
      assert.deepEqual(unitsAsNumbers(stream.usage?.units), units);
    });
  }
}
