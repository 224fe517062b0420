import assert from "node:assert/strict";
import { test } from "node:test";
import { cutAnywhere, random } from "../../test/random.ts";
import { UpstreamFailure } from "../failure.ts";
import type { AnswerHead } from "./answer-head.ts";
import { AnswerParser } from "./answer-parser.ts";

interface Read {
  head: AnswerHead | undefined;
  body: string;
  /** Undefined: the answer has not ended. */
  clean: boolean | undefined;
  failure: UpstreamFailure | undefined;
}

function read(pieces: readonly Buffer[], { thenEnd = false, mostBytes = Number.POSITIVE_INFINITY } = {}): Read {
  const got: Read = { head: undefined, body: "", clean: undefined, failure: undefined };
  const parser = new AnswerParser({
    onHead(head) {
      assert.equal(got.head, undefined, "one head");
      got.head = head;
    },
    onData(bytes) {
      assert.ok(got.head !== undefined && got.clean === undefined && bytes.length > 0);
      got.body += bytes.toString("latin1");
      return got.body.length < mostBytes;
    },
    onEnd(clean) {
      assert.equal(got.clean, undefined, "one end");
      got.clean = clean;
    },
  });
  try {
    for (const piece of pieces) parser.push(piece);
    if (thenEnd) parser.end();
  } catch (error) {
    assert.ok(error instanceof UpstreamFailure, String(error));
    got.failure = error;
  }
  return got;
}

const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");
const readText = (text: string, options = {}): Read => read([bytesOf(text)], options);

function chunked(body: string, next: () => number): string {
  let text = "";
  for (let at = 0; at < body.length; ) {
    const piece = body.slice(at, at + 1 + Math.floor(next() * 40));
    const size = piece.length.toString(16);
    text += `${next() < 0.5 ? size.toUpperCase() : `00${size}`}${next() < 0.2 ? ' ;a="b"' : ""}\r\n${piece}\r\n`;
    at += piece.length;
  }
  return `${text}0\r\n${next() < 0.3 ? "x-trailer: 1\r\ny: 2\r\n" : ""}\r\n`;
}

function randomAnswer(next: () => number): { text: string; body: string; thenEnd: boolean } {
  const body = Array.from({ length: Math.floor(next() * 200) }, () => String.fromCharCode(next() * 256)).join("");
  const interim = next() < 0.2 ? "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" : "";
  const head = `${interim}HTTP/1.1 200 OK\r\nContent-Type:  text/plain \r\nx-empty:\r\n`;
  const kind = next();
  if (kind < 0.4)
    return { text: `${head}Transfer-Encoding: chunked\r\n\r\n${chunked(body, next)}`, body, thenEnd: false };
  if (kind < 0.8) return { text: `${head}content-length: ${body.length}\r\n\r\n${body}`, body, thenEnd: false };
  return { text: `${head}\r\n${body}`, body, thenEnd: true };
}

test("an answer is read the same however it is cut: length, chunks with extensions and trailers, until the end", () => {
  for (let seed = 1; seed <= 3_000; seed++) {
    const next = random(seed);
    const { text, body, thenEnd } = randomAnswer(next);
    const got = read(cutAnywhere(bytesOf(text), next), { thenEnd });
    assert.equal(got.failure, undefined, `seed ${seed}: ${got.failure?.message}`);
    assert.equal(got.body, body, `seed ${seed}`);
    assert.deepEqual(got.head?.headers.slice(0, 4), ["content-type", "text/plain", "x-empty", ""]);
    assert.equal(got.clean, !thenEnd, `seed ${seed}`);
  }
});

test("whatever comes, it is an answer, a failure or not whole yet, never more than was sent", () => {
  for (let seed = 1; seed <= 20_000; seed++) {
    const next = random(seed);
    const { text } = randomAnswer(next);
    const bytes = bytesOf(text);
    for (let i = 0; i <= next() * 4; i++) bytes[Math.floor(next() * bytes.length)] = next() * 256;
    const got = read(cutAnywhere(bytes, next), { thenEnd: next() < 0.5 });
    assert.ok(got.body.length <= bytes.length, `seed ${seed}`);
  }
});

test("an answer of which two readers could think differently is no answer", () => {
  const head = "HTTP/1.1 200 OK\r\n";
  for (const text of [
    "HTTP/2 200\r\n\r\n",
    "HTTP/1.2 200 OK\r\n\r\n",
    "HTTP/1.1 2000 OK\r\n\r\n",
    "HTTP/1.1 099 OK\r\n\r\n",
    "SSH-2.0-OpenSSH_9.2p1\r\n\r\n",
    "<html>\r\n\r\n",
    " HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n",
    `${head}no colon\r\n\r\n`,
    `${head}: no name\r\n\r\n`,
    `${head}spaced : 1\r\n\r\n`,
    `${head}folded: 1\r\n 2\r\n\r\n`,
    `${head}bare: 1\r2\r\n\r\n`,
    `${head}bare: 1\nx: 2\r\n\r\n`,
    `${head}nul: \0\r\n\r\n`,
    `${head}content-length: -1\r\n\r\n`,
    `${head}content-length: +1\r\n\r\nx`,
    `${head}content-length: 0x1\r\n\r\nx`,
    `${head}content-length: 1 1\r\n\r\nx`,
    `${head}content-length:\r\n\r\nx`,
    `${head}content-length: 1\r\ncontent-length: 2\r\n\r\nx`,
    `${head}content-length: 1, 2\r\n\r\nx`,
    `${head}content-length: ${"9".repeat(16)}\r\n\r\nx`,
    `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `${head}transfer-encoding: identity\r\n\r\nx`,
    `${head}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n`,
    `${head}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    `${head}x: ${"y".repeat(70_000)}\r\n\r\n`,
  ]) {
    const got = readText(text);
    assert.equal(got.failure?.kind, "transient", JSON.stringify(text.slice(0, 80)));
  }
});

test("frames that are none end a chunked answer", () => {
  const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  for (const body of [
    "\r\n",
    "g\r\n",
    "-1\r\nx\r\n",
    "0x1\r\nx\r\n",
    " 1\r\nx\r\n",
    "1\nx\r\n",
    "1\r\nxy\r\n",
    "1\r\nx\n",
    "1\r\nx\r\r",
    `${"f".repeat(14)}\r\n`,
    `${"0".repeat(14)}1\r\nx`,
    `1;${"e".repeat(17_000)}\r\nx`,
    "1;a\nb\r\nx",
    `0\r\nx: ${"y".repeat(17_000)}`,
    "0\r\n\rx",
  ]) {
    const got = readText(head + body);
    assert.equal(got.failure?.kind, "transient", JSON.stringify(body.slice(0, 40)));
  }
});

test("an end before the end is a failure, whether in the head, the length or a chunk", () => {
  for (const text of [
    "",
    "HTTP/1.1 200 OK\r\nx: 1\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfour",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nfour\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n",
  ]) {
    assert.equal(readText(text, { thenEnd: true }).failure?.kind, "transient", JSON.stringify(text));
  }
});

test("204 and 304 have no body whatever they say, and what comes behind an answer makes it unclean", () => {
  for (const status of ["204 No Content", "304 Not Modified"]) {
    assert.equal(readText(`HTTP/1.1 ${status}\r\ncontent-length: 5\r\n\r\n`).clean, true);
  }
  const head = "HTTP/1.1 200 OK\r\n";
  assert.equal(readText(`${head}content-length: 2\r\n\r\nok!`).clean, false);
  assert.equal(readText(`${head}transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n!`).clean, false);
  assert.equal(readText(`${head}content-length: 2, 2\r\nContent-Length: 2\r\n\r\nok`).clean, true);
});

test("a connection is kept as long as the server says, a second less, and not when it says to close", () => {
  const keepMs = (headers: string, version = "1.1"): number | undefined =>
    readText(`HTTP/${version} 200 OK\r\ncontent-length: 0\r\n${headers}\r\n`).head?.keepMs;
  assert.equal(keepMs(""), 4_000);
  assert.equal(keepMs("Keep-Alive: timeout=72, max=9\r\n"), 71_000);
  assert.equal(keepMs("Keep-Alive: timeout=999999\r\n"), 600_000);
  assert.equal(keepMs("Keep-Alive: timeout=1\r\n"), 0);
  assert.equal(keepMs("Connection: Keep-Alive, Close\r\n"), 0);
  assert.equal(keepMs("", "1.0"), 0);
});

test("nothing more is given out once nothing more is wanted", () => {
  const text = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n";
  const got = readText(text, { mostBytes: 1 });
  assert.deepEqual([got.body, got.clean, got.failure], ["a", undefined, undefined]);
});
