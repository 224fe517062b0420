import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fields } from "../conversation/fields.ts";
import { editMembers, topLevelMembers } from "../json-edit.ts";
import { withoutForeignThinking } from "./foreign-thinking.ts";

function cleaned(text: string): string {
  const body = Buffer.from(text);
  const edits = withoutForeignThinking(body, JSON.parse(text) as Fields);
  return edits === undefined ? text : editMembers(body, topLevelMembers(body), edits).toString();
}

const unsigned = '{"type": "thinking", "thinking": "hm, [\\"]", "signature": ""}';
const signed = '{"type":"thinking","thinking":"x","signature":"abc123"}';
const use = '{"type":"tool_use", "id":"t","name":"f","input":{"id":12345678901234567890}}';
const user = '{"role":"user","content":"Hi"}';

test("removes thinking without a signature from the history and changes no other byte", () => {
  const turn = (...blocks: string[]) => `{"role": "assistant", "content": [ ${blocks.join(" , ")} ], "x": 1}`;
  const body = (...turns: string[]) =>
    `{ "model":"m", "messages" : [${[user, ...turns, user].join(", ")}], "max_tokens":9 }`;
  const mixed = cleaned(body(turn(unsigned, use, '{"type":"redacted_thinking","data":""}'), turn(signed)));
  assert.equal(
    mixed,
    `{ "model":"m", "messages" : [${user},{"role": "assistant", "content": [${use}], "x": 1},${turn(signed)},${user}], "max_tokens":9 }`,
  );
  assert.equal(cleaned(body(turn(unsigned))), `{ "model":"m", "messages" : [${user},${user}], "max_tokens":9 }`);
});

test("passes signed thinking on unchanged, whatever its origin", () => {
  const body = `{"messages":[${user}, {"role":"assistant","content":[${signed}]}]}`;
  assert.equal(cleaned(body), body);
  assert.equal(cleaned('{"messages":"none"}'), '{"messages":"none"}');
});

test("disables the thinking budget when a turn that called tools has lost its thinking", () => {
  const body = (type: string, ...blocks: string[]) =>
    `{"thinking":{"type":"${type}","budget_tokens":2000},"messages":[${user},{"role":"assistant","content":[${blocks}]}]}`;
  const thinkingOf = (text: string) => (JSON.parse(cleaned(text)) as { thinking: { type: string } }).thinking.type;
  assert.equal(thinkingOf(body("enabled", unsigned, use)), "disabled");
  assert.equal(thinkingOf(body("adaptive", unsigned, use)), "adaptive");
  assert.equal(thinkingOf(body("enabled", unsigned, '{"type":"text","text":"x"}')), "enabled");
});
