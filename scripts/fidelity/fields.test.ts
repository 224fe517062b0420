import assert from "node:assert/strict";
import { test } from "node:test";
import { chatRequest } from "@uag/contract/requests/chat";
import { generateContentRequest } from "@uag/contract/requests/generate-content";
import { messageRequest } from "@uag/contract/requests/messages";
import { responseRequest } from "@uag/contract/requests/responses";
import { classOf, type FieldTable, free } from "@uag/providers/passed-fields/cost-class";
import { z } from "zod";
import { chatFields } from "./chat-fields.ts";
import { classedBodies } from "./costs.ts";
import { geminiFields } from "./gemini-fields.ts";
import { messagesFields } from "./messages-fields.ts";
import { documentedFormats, rowsOf } from "./page.ts";
import { wholeCatalog } from "./reach.ts";
import { reasonFor } from "./reasons.ts";
import { responsesFields } from "./responses-fields.ts";

/** Members of every request, whose effect cannot be shown by comparing two requests. */
const untabled = new Set(["model", "messages", "input", "stream", "stream_options", "system", "contents"]);

for (const [format, schema] of [
  [chatFields, chatRequest],
  [responsesFields, responseRequest],
  [messagesFields, messageRequest],
  [geminiFields, generateContentRequest],
] as const)
  test(`the table of ${format.path} contains every field of its schema`, () => {
    const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    const tabled = new Set(format.fields.flatMap(({ sent }) => Object.keys(sent)));
    const missing = Object.keys(properties).filter((name) => !tabled.has(name) && !untabled.has(name));
    assert.deepEqual(
      missing.filter((name) => !(name in format.base)),
      [],
    );
  });

const formats = [
  { title: chatFields.path, costs: chatFields.costs, schemas: [chatRequest] },
  { title: responsesFields.path, costs: responsesFields.costs, schemas: [responseRequest] },
  { title: messagesFields.path, costs: messagesFields.costs, schemas: [messageRequest] },
  { title: geminiFields.path, costs: geminiFields.costs, schemas: [generateContentRequest] },
];

for (const { title, costs, schemas } of [...formats, ...classedBodies])
  test(`every field that the schemas of ${title} accept has a cost class`, () => {
    for (const schema of schemas) assert.deepEqual(unclassed(schema, costs), []);
  });

test("reports a field of a schema, or of a member, that has no cost class", () => {
  const schema = z.looseObject({ known: z.string(), added: z.string(), options: z.looseObject({ known: z.int() }) });
  const costs = { known: free("x"), options: free("x"), "options.other": free("x") };
  assert.deepEqual(unclassed(schema, costs), ["added", "options.known"]);
});

/** The fields that a schema accepts but a table lacks, and members if the table has some. */
function unclassed(schema: z.ZodType, costs: FieldTable): string[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.entries(properties).flatMap(([name, value]) => {
    if (classOf(costs, name) === undefined && !Object.keys(costs).some((row) => row.startsWith(`${name}.`)))
      return [name];
    const listed = Object.keys(costs).some((row) => row.startsWith(`${name}.`) && !row.includes("["));
    const members = listed ? membersIn(value) : [];
    return members.map((member) => `${name}.${member}`).filter((path) => !Object.hasOwn(costs, path));
  });
}

/** The members of an object's schema, which may be one of several. */
function membersIn(schema: unknown): string[] {
  const { properties = {}, anyOf = [] } = schema as { properties?: object; anyOf?: readonly unknown[] };
  return [...Object.keys(properties), ...anyOf.flatMap(membersIn)];
}

test("a field is refused at every provider that would receive it exactly if its cost class is refused", async () => {
  const models = await wholeCatalog();
  for (const [format, documented] of documentedFormats)
    for (const { name, reaches } of await rowsOf(format, documented, models)) {
      const refusedEverywhere = reaches.every(([, { kind }]) => kind === "refused");
      const { kind } = classOf(documented.costs, name) ?? assert.fail(name);
      if (kind === "refused") assert.ok(refusedEverywhere, `${documented.path}: ${name}`);
      else assert.ok(!refusedEverywhere, `${documented.path}: ${name} is ${kind}, and refused everywhere`);
    }
});

test("every field is passed, translated, or has a reason why it is not", async () => {
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
