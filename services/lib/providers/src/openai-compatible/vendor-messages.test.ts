import assert from "node:assert/strict";
import { test } from "node:test";
import { compatibleMessages } from "./vendor-messages.ts";

const vendor = { developerRole: false, soundByUrl: true };
const user = (...content: unknown[]) => ({ role: "user", content, name: "n" });
const sound = (data: string, format = "mp3") => ({ type: "input_audio", input_audio: { data, format } });
const heard = (url: string) => ({ type: "audio_url", audio_url: { url } });

const cases: [what: string, from: unknown[], to: unknown[] | undefined][] = [
  ["nothing to change", [{ role: "system", content: "x" }, user({ type: "text", text: "y" })], undefined],
  ["what is no message", [null, 5, "x", { content: [null, 5] }], undefined],
  [
    "the role developer",
    [{ role: "developer", content: "x", name: "n" }],
    [{ role: "system", content: "x", name: "n" }],
  ],
  ["a sound's address", [user(heard("https://a.test/x.WAV?y"))], [user(sound("https://a.test/x.WAV?y", "wav"))]],
  ["an address that says nothing", [user(heard("https://a.test/x"))], [user(sound("https://a.test/x"))]],
  [
    "a sound inside a data URL",
    [user(heard("data:audio/mpeg;base64,AAAA"))],
    [user(sound("data:audio/mpeg;base64,AAAA"))],
  ],
  ["OpenAI's bare base64", [user(sound("AAAA", "wav"))], [user(sound("data:;base64,AAAA", "wav"))]],
  [
    "what a Claude thought: none",
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
  ["sound that is a URL already", [user(sound("https://a.test/x.mp3"), sound("data:;base64,AAAA"))], undefined],
];
for (const [what, from, to] of cases) {
  test(`a vendor's own words for ${what}`, () => assert.deepEqual(compatibleMessages(from, vendor), to));
}

test("a vendor that knows OpenAI's words gets them", () => {
  const messages = [{ role: "developer", content: "x" }, user(heard("https://a.test/x"), sound("AAAA"))];
  assert.equal(compatibleMessages(messages, { developerRole: true, soundByUrl: false }), undefined);
});

test("a message keeps thinking in Mistral's form, which its own models read", () => {
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "t" }] },
    { type: "text", text: "x" },
  ];
  const vendor = { developerRole: true, soundByUrl: false };
  assert.equal(compatibleMessages([{ role: "assistant", content }], vendor), undefined);
});
