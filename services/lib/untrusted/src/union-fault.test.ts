import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { checked } from "./schema-fault.ts";

const messageFor = (schema: z.ZodType, value: unknown): string => {
  try {
    checked(z.object({ field: schema }), { field: value });
  } catch (error) {
    return (error as Error).message;
  }
  return assert.fail("the value was accepted");
};

const parts = z.array(
  z.union([
    z.looseObject({ type: z.literal("text"), text: z.string() }),
    z.looseObject({ type: z.literal("image"), url: z.string() }),
  ]),
);
const content = z.union([z.string().max(3), parts]);

test("names the field at fault within the member of a union that the value was meant for", () => {
  assert.equal(messageFor(content, [{ type: "text", text: "a" }, { type: "image" }]), "field[1].url: is required.");
  assert.equal(messageFor(content, [{ type: "text", text: 5 }]), "field[0].text: expected string, received number.");
  assert.match(messageFor(content, "long"), /^field: expected string to have <=3 characters/);
});

test("lists the types of a union's members when the value has none of them", () => {
  assert.equal(messageFor(content, [{ type: "audio" }]), 'field[0].type: expected "text" or "image".');
  assert.equal(messageFor(content, [{}]), 'field[0].type: expected "text" or "image".');
});

test("lists the kinds of value that a union takes when the value is of another kind", () => {
  assert.equal(messageFor(content, 5), "field: expected string or array.");
  assert.equal(
    messageFor(z.union([z.literal("auto"), z.boolean(), z.null()]), 5),
    'field: expected "auto" or boolean or null.',
  );
});

test("an error about a missing field of a union says that the field is required", () => {
  assert.equal(messageFor(content, undefined), "field: is required.");
});

test("keeps a union's own message when the value resembles no member", () => {
  const own = z.union([z.string(), z.array(z.string())], { error: "must be text or a list of texts" });
  assert.equal(messageFor(own, 5), "field: must be text or a list of texts.");
  assert.equal(messageFor(own, ["a", 5]), "field[1]: expected string, received number.");
});
