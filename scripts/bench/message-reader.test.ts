import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageReader } from "./message-reader.ts";

function read(text: string, options: { readonly size: number; readonly kind?: "request" | "response" }) {
  const messages: { head: string; body: string; ended: boolean }[] = [];
  const reader = new MessageReader({
    kind: options.kind ?? "response",
    sink: {
      head: (head) => messages.push({ head: head.split("\r\n")[0] ?? "", body: "", ended: false }),
      body: (bytes) => {
        messages.at(-1)!.body += bytes.toString("latin1");
      },
      end: () => {
        messages.at(-1)!.ended = true;
      },
    },
  });
  const bytes = Buffer.from(text, "latin1");
  // Reuses one buffer, like the connection.
  const shared = Buffer.alloc(options.size);
  for (let at = 0; at < bytes.length; at += options.size) {
    const copied = bytes.copy(shared, 0, at, Math.min(bytes.length, at + options.size));
    reader.push(shared.subarray(0, copied));
  }
  return { messages, idle: reader.idle };
}

const sized = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const empty = "HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n";
const chunked = "HTTP/1.1 201 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n";

test("messages are the same however the bytes are split", () => {
  const text = sized + chunked + empty + sized;
  for (let size = 1; size <= text.length; size++) {
    assert.deepEqual(read(text, { size }), {
      idle: true,
      messages: [
        { head: "HTTP/1.1 200 OK", body: "hello", ended: true },
        { head: "HTTP/1.1 201 OK", body: "abc0123456789", ended: true },
        { head: "HTTP/1.1 500 No", body: "", ended: true },
        { head: "HTTP/1.1 200 OK", body: "hello", ended: true },
      ],
    });
  }
});

test("a truncated message is not ended", () => {
  assert.deepEqual(read(sized.slice(0, -1), { size: 100 }), {
    idle: false,
    messages: [{ head: "HTTP/1.1 200 OK", body: "hell", ended: false }],
  });
  assert.equal(read(chunked.slice(0, -2), { size: 100 }).messages[0]?.ended, false);
});

test("a message without framing is an error", () => {
  assert.throws(() => read("HTTP/1.1 200 OK\r\n\r\nhello", { size: 100 }));
  assert.throws(() => read(chunked.replace("3\r\nabc", "2\r\nabc"), { size: 100 }));
  assert.throws(() => read(chunked.replace("3\r\nabc", "x\r\nabc"), { size: 100 }));
});

test("a request without a body ends with its head", () => {
  assert.deepEqual(read("GET / HTTP/1.1\r\nhost: x\r\n\r\n", { size: 7, kind: "request" }).messages, [
    { head: "GET / HTTP/1.1", body: "", ended: true },
  ]);
});
