import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { assertShortTurns } from "@uag/harness/testing/assert-short-turns";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { catalogOf, chat, usage } from "./fixtures.ts";
import { startChat } from "./support.ts";

const mebi = 1024 * 1024;

let upstream: TestUpstream;
let harness: OperationsHarness;

before(async () => {
  upstream = await startUpstream();
  const large = catalogOf(upstream.url).replace("max_output_tokens: 1000", "max_output_tokens: 40000");
  harness = await startChat({ catalog: large });
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

async function write(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) if (!response.write(piece)) await once(response, "drain");
  response.end();
}

test("bills a response above the size limit once, by the usage at its end", async () => {
  const piece = '{"token":"x","logprob":-1.5},'.repeat(1_000);
  upstream.script = async (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    await write(response, [
      '{"choices":[{"message":{"content":"Hi"},"logprobs":{"content":[',
      ...Array.from({ length: (70 * mebi) / piece.length }, () => piece),
      `{}]}}],"usage":${JSON.stringify(usage)}}`,
    ]);
  };
  const response = await harness.call("chat.completions", chat());
  const settlement = harness.admission.booked[0]?.settlement;
  assert.deepEqual([response.status, upstream.received.length], [502, 1]);
  assert.deepEqual([settlement?.costNanoUsd, settlement?.settlementRule], [20_000n, SettlementRule.FAILED_USAGE]);
});

const tokens = 30_000;
const alternatives = Array.from({ length: 20 }, () => ({ token: "ab", logprob: -1.5, bytes: [97, 98] }));
const entry = JSON.stringify({ token: "ab", logprob: -1, bytes: [97, 98], top_logprobs: alternatives });
const head = '"id":"c","created":1,"model":"m"';
const wanted = { logprobs: true, top_logprobs: 20, max_tokens: 10_000 };

/** A complete response. */
function* whole(): Generator<string> {
  yield `{${head},"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop",`;
  yield `"message":{"role":"assistant","content":"${"ab".repeat(tokens)}"},"logprobs":{"content":[`;
  for (let count = 1; count <= tokens; count++) yield count === tokens ? entry : `${entry},`;
  yield `]}}],"usage":${JSON.stringify(usage)}}`;
}

/** The same response as a stream. */
function* streamed(): Generator<string> {
  const event = (choices: string, more = ""): string => `data: {${head},"choices":[${choices}]${more}}\n\n`;
  for (let count = 0; count < tokens; count++)
    yield event(`{"index":0,"delta":{"content":"ab"},"logprobs":{"content":[${entry}]},"finish_reason":null}`);
  yield event('{"index":0,"delta":{},"finish_reason":"stop"}');
  yield event("", `,"usage":${JSON.stringify(usage)}`);
  yield "data: [DONE]\n\n";
}

interface Case {
  readonly operation: "chat.completions" | "responses";
  readonly stream: boolean;
  readonly upstreamStreams: boolean;
}

/** Reads a response without keeping it; counts entries of log probabilities. */
async function read({ operation, stream, upstreamStreams }: Case): Promise<{ status: number; entries: number }> {
  upstream.script = async (_, response) => {
    const type = upstreamStreams ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type });
    await write(response, upstreamStreams ? streamed() : whole());
  };
  const body =
    operation === "responses"
      ? {
          model: "plain",
          input: "Hi",
          include: ["message.output_text.logprobs"],
          top_logprobs: 20,
          max_output_tokens: 10_000,
        }
      : chat(wanted);
  const opened = harness.open(operation, JSON.stringify({ ...body, stream }));
  const { status } = await opened.head;
  let entries = 0;
  let rest = Buffer.alloc(0);
  const mark = Buffer.from('"top_logprobs":[');
  for await (const chunk of opened) {
    const bytes = Buffer.concat([rest, chunk]);
    let at = 0;
    for (let found = bytes.indexOf(mark); found >= 0; found = bytes.indexOf(mark, at)) {
      entries++;
      at = found + mark.length;
    }
    rest = Buffer.from(bytes.subarray(Math.max(at, bytes.length - mark.length + 1)));
  }
  return { status, entries };
}

for (const operation of ["chat.completions", "responses"] as const) {
  for (const stream of [false, true]) {
    for (const upstreamStreams of [false, true]) {
      const kind = (streams: boolean): string => (streams ? "a stream" : "one piece");
      test(`${operation}: passes on 45 MB of log probabilities, received as ${kind(upstreamStreams)}, sent as ${kind(stream)}, in short turns`, async () => {
        let response = { status: 0, entries: 0 };
        await assertShortTurns(async () => {
          response = await read({ operation, stream, upstreamStreams });
        });
        assert.deepEqual(response, { status: 200, entries: tokens });
      });
    }
  }
}
