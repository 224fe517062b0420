import assert from "node:assert/strict";
import { test } from "node:test";
import { Splices } from "./splices.ts";

const text = (response: Response): Promise<string> => response.text();

test("replaces placeholders in a response with large values, in any order", async () => {
  const splices = new Splices();
  const bytes = Buffer.alloc(200_000, "abc");
  const long = `${'"\\\n'.repeat(30_000)}\u{1f600}`.repeat(2);
  const list = splices.add(() => [Buffer.from("[1,"), Buffer.from("2]")]);
  const result = { file: splices.base64(bytes), list, again: splices.text(long), short: splices.text("y") };
  assert.ok(JSON.stringify(result).length < 300);
  const headers = { "content-type": "text/event-stream", "content-length": "1" };
  const response = splices.into(new Response(`data: ${JSON.stringify(result)}\n\n`, { headers }));
  assert.equal(response.headers.get("content-length"), null);
  const body = await text(response);
  assert.deepEqual(JSON.parse(body.slice("data: ".length)), {
    file: bytes.toString("base64"),
    list: [1, 2],
    again: long,
    short: "y",
  });
});

test("inserts values that are added after the response has started, at any position", async () => {
  const splices = new Splices();
  const long = "y".repeat(100_000);
  const body = ReadableStream.from(
    (async function* () {
      yield Buffer.from(": begun\n");
      const text = splices.text(long);
      yield Buffer.from(JSON.stringify({ text, again: { text } }));
    })(),
  );
  const response = splices.into(new Response(body));
  assert.equal(await text(response), `: begun\n${JSON.stringify({ text: long, again: { text: long } })}`);
});
