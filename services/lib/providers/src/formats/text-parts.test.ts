import assert from "node:assert/strict";
import { test } from "node:test";
import type { Turn } from "../conversation/types.ts";
import { readTurns as readChat } from "./chat/turns.ts";
import { readMessages } from "./messages/read.ts";
import { readResponses } from "./responses/read.ts";

const text = { type: "text", text: "Hello", cache_control: { type: "ephemeral" } };
const refused = { type: "refusal", refusal: "I will not." };

const partsOf = ([turn]: readonly Turn[]) => turn?.parts;

test("keeps an assistant's refusal part in conversations in OpenAI's formats", () => {
  const role = "assistant";
  const parts = [
    { type: "text", text: "Hello" },
    { type: "text", text: "I will not." },
  ];
  const [hello, refusal] = partsOf(readChat([{ role, content: [text, refused] }])) ?? [];
  assert.deepEqual(hello, { ...parts[0], cacheControl: text.cache_control });
  assert.equal(refusal?.type === "text" && refusal.text, "I will not.");
  const input = [{ type: "message", role, content: [{ ...text, type: "output_text" }, refused] }];
  assert.deepEqual(partsOf(readResponses({ input }).turns), parts);
});

test("the Messages format reads only text parts and ignores another protocol's refusal part", () => {
  const hello = { type: "text", text: "Hello" };
  const { turns } = readMessages({
    system: [text, refused],
    messages: [
      { role: "system", content: [text, refused] },
      { role: "assistant", content: [text, refused] },
    ],
  });
  assert.deepEqual(
    turns.map(({ parts }) => parts),
    [[{ ...hello, cacheControl: text.cache_control }], [hello], [hello]],
  );
});
