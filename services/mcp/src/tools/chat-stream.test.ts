import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { startStage } from "../../test/stage.ts";

/** Begins a stream of text, and ends it with `end`. */
const streamed =
  (end: (out: ServerResponse) => void) =>
  (out: ServerResponse): void => {
    out.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req_1" });
    const choices = [{ index: 0, delta: { content: "Once upon" }, finish_reason: null }];
    const chunk = { id: "c1", object: "chat.completion.chunk", created: 1, model: "writer", choices };
    out.write(`data: ${JSON.stringify(chunk)}\n\n`);
    setTimeout(() => end(out), 50);
  };

/** The messages in the response to a streamed call. */
async function messagesIn(response: Response) {
  assert.equal(response.status, 200);
  const events = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  return events.map((line) => JSON.parse(line.slice("data: ".length)));
}

const streamError = {
  error: { message: "The provider is overloaded.", type: "api_error", code: "upstream_overloaded" },
};

for (const [what, end, text, code] of [
  [
    "an error event of the gateway",
    (out: ServerResponse) => out.end(`data: ${JSON.stringify(streamError)}\n\n`),
    /^upstream_overloaded: The provider is overloaded\./,
    "upstream_overloaded",
  ],
  [
    "a broken connection to the gateway",
    (out: ServerResponse) => out.destroy(),
    /^upstream_error: The response ended early\./,
    "upstream_error",
  ],
  [
    "a stream that ends early",
    (out: ServerResponse) => out.end(),
    /^upstream_error: The response ended early\./,
    "upstream_error",
  ],
] as const)
  test(`${what} in the middle of a streamed chat reaches the client as a tool error with its code and message`, async (t) => {
    const gateway = { model: "writer", operation: "chat.completions", respond: streamed(end) };
    const { call, lines } = await startStage(t, gateway);
    const args = { model: "writer", messages: [{ role: "user", content: "a tale" }] };
    const messages = await messagesIn(await call({ name: "chat", arguments: args, _meta: { progressToken: 1 } }));
    assert.equal(messages[0].method, "notifications/progress", JSON.stringify(messages));
    const { id, result } = messages.at(-1);
    assert.deepEqual([id, result.isError], [1, true], JSON.stringify(messages));
    assert.match(result.content[0].text, text);
    const { status, code: named, request_id } = result._meta["gateway/error"];
    assert.deepEqual([status, named, request_id], [502, code, "req_1"]);
    // The gateway has logged its own error.
    assert.deepEqual(lines, []);
  });

test("a long streamed chat takes short turns of the event loop, and its text is held within the budget", async (t) => {
  const delta = { index: 0, delta: { content: "once upon a time " }, finish_reason: null };
  const chunk = { id: "c1", object: "chat.completion.chunk", created: 1, model: "writer", choices: [delta] };
  const stream = Buffer.from(`${`data: ${JSON.stringify(chunk)}\n\n`.repeat(20_000)}data: [DONE]\n\n`);
  let held = 0;
  const respond = (out: ServerResponse): void => {
    out.writeHead(200, { "content-type": "text/event-stream" }).end(stream);
  };
  const { call, buffers } = await startStage(t, { model: "writer", operation: "chat.completions", respond });
  const args = { model: "writer", messages: [{ role: "user", content: "a tale" }] };
  const read = async (): Promise<void> => {
    const responded = await call({ name: "chat", arguments: args, _meta: { progressToken: 1 } });
    for await (const _ of responded.body ?? []) held = Math.max(held, buffers.held);
  };
  await read();
  await assertShortTurns(read);
  assert.ok(held >= 17 * 20_000, `${held} bytes were held`);
  assert.equal(buffers.held, 0);
});
