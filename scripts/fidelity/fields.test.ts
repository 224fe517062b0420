import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { chatRequest } from "../../services/contract/src/requests/chat.ts";
import { messageRequest } from "../../services/contract/src/requests/messages.ts";
import { responseRequest } from "../../services/contract/src/requests/responses.ts";
import { chatFields } from "./chat-fields.ts";
import { messagesFields } from "./messages-fields.ts";
import { documentedFormats, rowsOf } from "./page.ts";
import { wholeCatalog } from "./reach.ts";
import { reasonFor } from "./reasons.ts";
import { responsesFields } from "./responses-fields.ts";

/** Members of every request, whose effect no comparison of two requests shows. */
const untabled = new Set(["model", "messages", "input", "stream", "stream_options", "system"]);

for (const [format, schema] of [
  [chatFields, chatRequest],
  [responsesFields, responseRequest],
  [messagesFields, messageRequest],
] as const)
  test(`the table of ${format.path} has every field that its schema checks`, () => {
    const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    const tabled = new Set(format.fields.flatMap(({ sent }) => Object.keys(sent)));
    const missing = Object.keys(properties).filter((name) => !tabled.has(name) && !untabled.has(name));
    assert.deepEqual(
      missing.filter((name) => !(name in format.base)),
      [],
    );
  });

test("every field that reaches a provider is passed or translated, and every other one has a reason", async () => {
  const models = await wholeCatalog();
  for (const [format, documented] of documentedFormats) {
    const rows = await rowsOf(format, documented, models);
    assert.equal(rows.length, documented.fields.length);
    for (const { name, reaches } of rows)
      for (const [column, { kind }] of reaches)
        if (kind === "dropped") assert.notEqual(reasonFor({ path: documented.path, name, column }), "");
  }
});

test("reports a field that is dropped without a reason", () => {
  assert.throws(
    () => reasonFor({ path: "/v1/responses", name: "instructions", column: "Gemini" }),
    /drops instructions/,
  );
});
