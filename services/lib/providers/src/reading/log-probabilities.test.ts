import assert from "node:assert/strict";
import { test } from "node:test";
import { UpstreamFailure } from "../failure.ts";
import { CutLists } from "./cut-lists.ts";
import { withoutLogProbabilities } from "./log-probabilities.ts";

const entry = { token: "a]}", logprob: -1.5, bytes: [97], top_logprobs: [{ token: '"', logprob: -1, bytes: null }] };
const long = Array.from({ length: 2_000 }, () => entry);
const bytes = (value: unknown, indent?: number): Buffer => Buffer.from(JSON.stringify(value, undefined, indent));
const unusable = (error: unknown): boolean => error instanceof UpstreamFailure && error.kind === "transient";

const shapes: Readonly<Record<string, unknown>> = {
  "in every choice": [{ logprobs: { content: long, refusal: null } }, { logprobs: { content: long } }],
  "after another member": [{ logprobs: { refusal: null, other: { a: [1] }, content: long } }],
  "in two lists": [{ logprobs: { content: long, refusal: long } }],
  "beside short and empty ones": [
    { logprobs: { content: [] } },
    { logprobs: { content: [entry] } },
    { logprobs: null },
  ],
};
for (const [name, choices] of Object.entries(shapes)) {
  for (const indent of [undefined, 2]) {
    test(`restores log probabilities ${name}, ${indent === undefined ? "dense" : "indented"}`, async () => {
      const body = bytes({ choices, usage: { total_tokens: 3 } }, indent);
      const lists = new CutLists();
      const slim = await withoutLogProbabilities(body, lists);
      assert.ok(slim.length < 4_096, `${slim.length} bytes are left`);
      const rewritten = bytes(JSON.parse(slim.toString("utf8")), indent);
      const restored = await lists.restore(rewritten);
      assert.deepEqual(JSON.parse(restored.toString("utf8")), { choices, usage: { total_tokens: 3 } });
    });
  }
}

test("returns a response without long lists unchanged", async () => {
  const body = bytes({
    choices: [{ message: { content: '"logprobs":{"content":[' }, logprobs: { content: [entry] } }],
  });
  const lists = new CutLists();
  const slim = await withoutLogProbabilities(body, lists);
  assert.equal(slim, body);
  assert.equal(await lists.restore(body), body);
});

test("places a list that is written several times once, and leaves valid JSON elsewhere", async () => {
  const lists = new CutLists();
  const body = await withoutLogProbabilities(bytes({ logprobs: { content: long } }), lists);
  const [mark] = (JSON.parse(body.toString("utf8")) as { logprobs: { content: string[] } }).logprobs.content;
  const written = bytes({ first: [mark], alone: [mark], before: [mark, 1], after: [1, mark], twice: [mark, mark] });
  const restored = JSON.parse((await lists.restore(written)).toString("utf8"));
  assert.deepEqual(restored, { first: long, alone: [], before: [1], after: [1], twice: [] });
});

test("rejects lists that are cut off, not JSON, or have an entry above 64 KiB", async () => {
  const good = JSON.stringify(long).slice(0, -1);
  for (const list of [good, `${good},`, `${good},{"a" 1}]`, `${good} 1]`, `${good},"${"x".repeat(70_000)}"]`]) {
    await assert.rejects(
      withoutLogProbabilities(Buffer.from(`{"logprobs":{"content":${list}}}`), new CutLists()),
      unusable,
    );
  }
});
