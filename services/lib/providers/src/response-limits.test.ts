import assert from "node:assert/strict";
import { test } from "node:test";
import { UpstreamFailure } from "./failure.ts";
import { Aggregate } from "./openai-compatible/aggregate.ts";
import { CallPlaces } from "./openai-compatible/call-places.ts";
import { CutLists } from "./reading/cut-lists.ts";
import { boundedResponse } from "./response-limits.ts";

const failed = (error: unknown): boolean => error instanceof UpstreamFailure && error.kind === "transient";

test("rejects a response of millions of small values before parsing it", () => {
  for (const [piece, count] of [
    ["[", 4_000_000],
    ["{},", 4_000_000],
    ["1,", 7_000_000],
  ] as const) {
    assert.throws(() => boundedResponse(Buffer.from(`[${piece.repeat(count)}`)), failed, piece);
  }
});

test("accepts a response with images in base64", () => {
  const images = Buffer.from(JSON.stringify({ data: Array(10).fill({ b64_json: "A1b2".repeat(2_000_000) }) }));
  assert.equal(boundedResponse(images), images);
});

const piece = (index: unknown, id = "") => ({ index, id, function: { name: "f", arguments: "{}" } });

test("rejects a tool call with index 4,294,967,294 without allocating a list of that length", () => {
  const chunk = (index: unknown) => ({ choices: [{ index: 0, delta: { tool_calls: [piece(index, "c")] } }] });
  assert.throws(() => new Aggregate().add(chunk(4_294_967_294)), failed);
  const good = new Aggregate();
  good.add(chunk(3));
  const [choice] = good.completion(new CutLists())["choices"] as { message: { tool_calls: unknown[] } }[];
  assert.equal(choice?.message.tool_calls.length, 1);
});

test("rejects a stream with more than 1,000 tool calls", () => {
  const places = new CallPlaces();
  for (let index = 0; index < 1_000; index++) places.find(piece(index));
  assert.throws(() => places.find(piece(1_000)), failed);
});
