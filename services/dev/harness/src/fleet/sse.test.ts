import assert from "node:assert/strict";
import { test } from "node:test";
import { sseEvents } from "./sse.ts";

async function eventsOf(...chunks: string[]): Promise<string[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const events: string[] = [];
  for await (const { event, data } of sseEvents(body())) events.push(`${event} ${data}`);
  return events;
}

test("events are parsed regardless of how the bytes are split", async () => {
  const text = 'data: {"a":"ü"}\n\n: comment\n\nevent: error\r\ndata: one\r\ndata: two\r\n\r\ndata: [DONE]\n\n';
  const whole = ['message {"a":"ü"}', "error one\ntwo", "message [DONE]"];
  assert.deepEqual(await eventsOf(text), whole);
  assert.deepEqual(await eventsOf(...text), whole);
});
