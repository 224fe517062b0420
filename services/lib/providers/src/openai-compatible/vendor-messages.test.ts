import assert from "node:assert/strict";
import { test } from "node:test";
import { compatibleMessages } from "./vendor-messages.ts";

const vendor = { developerRole: false, audioByUrl: true };
const user = (...content: unknown[]) => ({ role: "user", content, name: "n" });
const audio = (data: string, format = "mp3") => ({ type: "input_audio", input_audio: { data, format } });
const audioUrl = (url: string) => ({ type: "audio_url", audio_url: { url } });

const cases: [what: string, from: unknown[], to: unknown[] | undefined][] = [
  ["nothing to change", [{ role: "system", content: "x" }, user({ type: "text", text: "y" })], undefined],
  ["values that are not messages", [null, 5, "x", { content: [null, 5] }], undefined],
  [
    "the role developer",
    [{ role: "developer", content: "x", name: "n" }],
    [{ role: "system", content: "x", name: "n" }],
  ],
  [
    "the URL of an audio file",
    [user(audioUrl("https://a.test/x.WAV?y"))],
    [user(audio("https://a.test/x.WAV?y", "wav"))],
  ],
  ["a URL without a file extension", [user(audioUrl("https://a.test/x"))], [user(audio("https://a.test/x"))]],
  [
    "audio in a data URL",
    [user(audioUrl("data:audio/mpeg;base64,AAAA"))],
    [user(audio("data:audio/mpeg;base64,AAAA"))],
  ],
  ["OpenAI's bare base64", [user(audio("AAAA", "wav"))], [user(audio("data:;base64,AAAA", "wav"))]],
  [
    "Claude's thinking, which is removed",
    [
      {
        role: "assistant",
        content: "x",
        thinking_blocks: [{ type: "thinking", thinking: "t", signature: "s" }],
        extra_content: {},
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "t", signature: "s" },
          { type: "text", text: "x" },
        ],
      },
      { role: "assistant", content: [{ type: "redacted_thinking", data: "d" }], tool_calls: [] },
    ],
    [
      { role: "assistant", content: "x" },
      { role: "assistant", content: [{ type: "text", text: "x" }] },
      { role: "assistant", content: "", tool_calls: [] },
    ],
  ],
  ["audio that is already a URL", [user(audio("https://a.test/x.mp3"), audio("data:;base64,AAAA"))], undefined],
];
for (const [what, from, to] of cases) {
  test(`converts messages for a vendor: ${what}`, () => assert.deepEqual(compatibleMessages(from, vendor), to));
}

test("leaves messages unchanged for a vendor that supports OpenAI's form", () => {
  const messages = [{ role: "developer", content: "x" }, user(audioUrl("https://a.test/x"), audio("AAAA"))];
  assert.equal(compatibleMessages(messages, { developerRole: true, audioByUrl: false }), undefined);
});

test("keeps thinking in Mistral's form, which Mistral's models read", () => {
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "t" }] },
    { type: "text", text: "x" },
  ];
  const vendor = { developerRole: true, audioByUrl: false };
  assert.equal(compatibleMessages([{ role: "assistant", content }], vendor), undefined);
});
