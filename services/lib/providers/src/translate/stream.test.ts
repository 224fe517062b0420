import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import {
  type View,
  viewOfChunks,
  viewOfCompletion,
  viewOfEvents,
  viewOfGenerated,
  viewOfGeneratedEvents,
  viewOfMessage,
  viewOfResponse,
  viewOfResponseEvents,
} from "../../test/client-view.ts";
import { type GoldenFile, goldenFiles, pairOf, steady } from "../../test/golden.ts";
import { cutAnywhere } from "../../test/random.ts";
import { UpstreamFailure } from "../failure.ts";
import type { ResponseStream } from "../generation.ts";

function textOf(stream: ResponseStream, pieces: readonly Buffer[]): string {
  const out: Buffer[] = [];
  for (const piece of pieces) out.push(...stream.push(piece));
  out.push(...stream.end());
  if (stream.state === "finished") out.push(stream.closing);
  return Buffer.concat(out).toString("utf8");
}

/** Inputs by meaning: a streamed one keeps its vendor's spaces, and a missing one is empty. */
function comparable(view: View): View {
  const calls = view.calls.map((call) => ({ ...call, input: JSON.stringify(JSON.parse(call.input || "{}")) }));
  return { ...view, calls };
}

const viewers = {
  "chat.completions": { ofStream: viewOfChunks, ofWhole: viewOfCompletion },
  messages: { ofStream: viewOfEvents, ofWhole: viewOfMessage },
  responses: { ofStream: viewOfResponseEvents, ofWhole: viewOfResponse },
  generate_content: { ofStream: viewOfGeneratedEvents, ofWhole: viewOfGenerated },
} as const;

const views = (file: GoldenFile) => viewers[file.client];

for (const file of goldenFiles) {
  for (const { title, upstream: reported, client } of file.streams) {
    const bytes = Buffer.from(reported.join(""));
    const name = `${file.client} to ${file.protocol}: ${title}`;

    test(`the client receives the same events wherever the bytes are split: ${name}`, () => {
      const { adapter, call, upstream } = pairOf(file);
      for (let seed = 1; seed <= 100; seed++) {
        const next = seededRandom(seed);
        const source = next() < 0.3 ? Buffer.from(bytes.toString("utf8").replaceAll("\n", "\r\n")) : bytes;
        const text = textOf(adapter.openStream(call, upstream), cutAnywhere(source, next));
        assert.equal(steady(text), client.join(""), `seed ${seed}`);
      }
    });

    test(`the stream's pieces add up to the complete response: ${name}`, async () => {
      const { adapter, call, upstream } = pairOf(file);
      const streamed = steady(textOf(adapter.openStream(call, upstream), [bytes]));
      const collected = await adapter.collect(bytes, call, upstream);
      const { ofStream, ofWhole } = views(file);
      const whole = JSON.parse(steady(collected.body.toString("utf8"))) as Record<string, unknown>;
      assert.deepEqual(comparable(ofStream(streamed)), comparable(ofWhole(whole)));
    });

    test(`a stream that is cut off fails, and its delivered part is counted: ${name}`, () => {
      const { adapter, call, upstream } = pairOf(file);
      for (let events = 0; events < reported.length - 2; events++) {
        const stream = adapter.openStream(call, upstream);
        textOf(stream, [Buffer.from(reported.slice(0, events).join(""))]);
        assert.equal(stream.state, "failed", `after ${events} events`);
        assert.equal(stream.failure?.kind, "transient");
        assert.equal(Math.ceil(Buffer.byteLength(stream.delivered.text) / 4), stream.delivered.roughTokens);
      }
    });
  }
}

/** Values that no event should have, in places where vendors have been seen to send odd ones. */
const odd: readonly unknown[] = [null, "", "x", -1, 1.5, 1e21, true, [], {}, [null], [[]], { index: "a" }];

function mutated(value: unknown, next: () => number): unknown {
  if (next() < 0.06) return odd[Math.floor(next() * odd.length)];
  if (Array.isArray(value)) {
    const items = value.map((item) => mutated(item, next));
    return next() < 0.1 ? [...items, ...items] : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(() => next() > 0.04);
  return Object.fromEntries(kept.map(([key, inner]) => [key, mutated(inner, next)]));
}

function mutatedEvent(event: string, next: () => number): string {
  const [, head = "", json = ""] = /^((?:event: \w+\n)?data: )(.*)\n\n$/s.exec(event) ?? [];
  if (json === "[DONE]" || json === "") return event;
  return `${head}${JSON.stringify(mutated(JSON.parse(json), next))}\n\n`;
}

for (const file of goldenFiles) {
  test(`malformed events break neither the process nor the client's format: ${file.client} to ${file.protocol}`, () => {
    const { adapter, call, upstream } = pairOf(file);
    const { ofStream } = views(file);
    let finished = 0;
    for (let seed = 1; seed <= 400; seed++) {
      const next = seededRandom(seed);
      for (const { upstream: reported } of file.streams) {
        const shuffled = reported.filter(() => next() > 0.03).map((event) => mutatedEvent(event, next));
        const stream = adapter.openStream(call, upstream);
        const text = textOf(stream, [Buffer.from(shuffled.join(""))]);
        assert.ok(stream.state === "finished" || stream.failure instanceof UpstreamFailure, `seed ${seed}`);
        if (stream.state !== "finished") continue;
        finished++;
        ofStream(text);
      }
    }
    assert.ok(finished > 50, `only ${finished} streams came to an end`);
  });
}
