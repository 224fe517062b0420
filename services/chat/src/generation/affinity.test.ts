import assert from "node:assert/strict";
import { test } from "node:test";
import { affinityOf } from "./affinity.ts";

const of = (fields: Record<string, unknown>, model = "m", owner = "acc_1") => affinityOf(fields, model, owner);
const user = (content: unknown) => ({ role: "user", content });
const reply = { role: "assistant", content: "Hello." };
const system = { role: "system", content: "s".repeat(10_000) };

test("the requests of a conversation have one affinity, in every format, as long as it lasts", () => {
  for (const [first, later] of [
    [{ messages: [system, user("Hi")] }, { messages: [system, user("Hi"), reply, user("More")], temperature: 1 }],
    [
      { system: "s", messages: [user([{ type: "text", text: "Hi" }])] },
      { system: "s", messages: [user([{ type: "text", text: "Hi" }]), reply, user("More")], stream: true },
    ],
    [
      { instructions: "s", input: [user("Hi")] },
      { instructions: "s", input: [user("Hi"), reply, user("More")], max_output_tokens: 9 },
    ],
  ] as const)
    assert.equal(of(later), of(first));
});

test("conversations differ by what they begin with, their model and their account", () => {
  const first = { system: "s", tools: [{ name: "a" }], messages: [user("Hi")] };
  const all = [
    of(first),
    of({ ...first, system: "t" }),
    of({ ...first, tools: [{ name: "b" }] }),
    of({ ...first, messages: [user("Ho")] }),
    of({ ...first, messages: [user(`${"x".repeat(5_000)}a`)] }),
    of({ ...first, messages: [user(`${"x".repeat(5_001)}a`)] }),
    of({ messages: [user("Hi")] }),
    of({ input: "Hi" }),
    of(first, "n"),
    of(first, "m", "acc_2"),
  ];
  assert.equal(new Set(all).size, all.length);
});

test("the client's own key goes before the content, and an empty one does not count", () => {
  const messages = [user("Hi")];
  const keyed = of({ prompt_cache_key: "k", messages });
  assert.equal(of({ prompt_cache_key: "k", user: "u", messages: [user("Ho")] }), keyed);
  const named = of({ metadata: { user_id: "u" }, user: "other", messages });
  assert.equal(of({ user: "u", messages: [user("Ho")] }), named);
  assert.notEqual(named, keyed);
  assert.equal(of({ prompt_cache_key: "", user: 7, metadata: "x", messages }), of({ messages }));
});

test("a request of any size takes no longer than 4 KiB of it", () => {
  const tools = Array.from({ length: 20_000 }, (_, index) => ({ name: `tool ${index}`, description: "x".repeat(200) }));
  const fields = { tools, system: "s".repeat(4_000_000), messages: [user("u".repeat(4_000_000))] };
  const started = performance.now();
  for (let i = 0; i < 100; i++) of(fields);
  assert.ok(performance.now() - started < 1_000, `${performance.now() - started} ms for 100`);
});
