import assert from "node:assert/strict";
import { test } from "node:test";
import { UpstreamFailure } from "./failure.ts";
import { Aggregate } from "./openai-compatible/aggregate.ts";
import { CallPlaces } from "./openai-compatible/call-places.ts";
import { CutLists } from "./reading/cut-lists.ts";
import { boundedResponse, eventFault, maxParsedBytes } from "./response-limits.ts";

const failed = (error: unknown): boolean => error instanceof UpstreamFailure && error.kind === "transient";

test("rejects a response of millions of small values before parsing it", async () => {
  for (const [piece, count] of [
    ["[", 4_000_000],
    ["{},", 4_000_000],
    ["1,", 7_000_000],
    [" ", 4_000_000],
  ] as const) {
    await assert.rejects(boundedResponse(Buffer.from(`[${piece.repeat(count)}`)), failed, piece);
  }
});

test("rejects a response of more than 8 MiB of text, and accepts one of 7 MiB", async () => {
  const withText = (bytes: number) => Buffer.from(JSON.stringify({ content: "a b ".repeat(bytes / 4) }));
  await assert.rejects(boundedResponse(withText(maxParsedBytes)), failed);
  const shorter = withText(7 * 1024 * 1024);
  assert.equal(await boundedResponse(shorter), shorter);
});

const counted = { "log probabilities": '{"t":[1,2]},', numbers: "1,", names: "" };
test("rejects a stream event that is too expensive to parse repeatedly", () => {
  for (const [what, one] of Object.entries(counted)) {
    const many =
      what === "names" ? Array.from({ length: 5_000 }, (_, n) => `{"name ${n}":1},`).join("") : one.repeat(60_000);
    assert.ok(eventFault(Buffer.from(`[${many}1]`)) instanceof UpstreamFailure, what);
  }
  const tokens = Array(200).fill({
    token: "a",
    logprob: -1,
    top_logprobs: Array(20).fill({ token: "a", bytes: [97] }),
  });
  assert.equal(eventFault(Buffer.from(JSON.stringify({ choices: [{ logprobs: { content: tokens } }] }))), undefined);
  assert.equal(eventFault(Buffer.from(JSON.stringify({ text: "a".repeat(3_000_000) }))), undefined);
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
