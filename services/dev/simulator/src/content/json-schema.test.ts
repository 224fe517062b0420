import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { randomFrom } from "./hash.ts";
import { instanceOf } from "./json-schema.ts";

const schema = z.strictObject({
  name: z.string().min(3).max(40),
  age: z.int().min(18).max(20),
  score: z.number().min(0).max(1),
  kind: z.enum(["a", "b"]),
  fixed: z.literal("yes"),
  tags: z.array(z.string()).min(2).max(5),
  nested: z.strictObject({ deep: z.array(z.strictObject({ flag: z.boolean() })) }),
  either: z.union([z.string(), z.number()]),
  maybe: z.string().nullable(),
  mail: z.email(),
  id: z.uuid(),
});

test("an instance matches its schema, whatever the seed", () => {
  const json = z.toJSONSchema(schema);
  for (let seed = 0; seed < 100; seed++) schema.parse(instanceOf(json, randomFrom(String(seed), "t")));
});

test("the same seed generates the same instance", () => {
  const json = z.toJSONSchema(schema);
  assert.deepEqual(instanceOf(json, randomFrom("7", "t")), instanceOf(json, randomFrom("7", "t")));
});

test("follows local references and terminates recursive ones", () => {
  const tree = {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        properties: { next: { $ref: "#/$defs/node" }, n: { type: "integer" } },
        required: ["next", "n"],
      },
    },
  };
  const made = JSON.stringify(instanceOf(tree, randomFrom("1", "t")));
  assert.match(made, /^\{"next":\{"next":/);
});

test("accepts type names in upper case", () => {
  const made = instanceOf({ type: "OBJECT", properties: { n: { type: "INTEGER" } } }, randomFrom("1", "t"));
  assert.ok(typeof made === "object" && made !== null && "n" in made && Number.isInteger(made.n));
});

test("numbers, places and quoted names in the prompt become the values", () => {
  const order = {
    type: "object",
    properties: {
      first: { type: "integer" },
      second: { type: "number", minimum: 3 },
      location: { type: "string" },
      customer_name: { type: "string" },
    },
    required: ["first", "second", "location", "customer_name"],
  };
  const prompt = "Ship f(7) and 2, then 4.5 to New York, USA for the customer '你好啊集团' (it's new).";
  assert.deepEqual(instanceOf(order, randomFrom("1", "t"), prompt), {
    first: 7,
    second: 4.5,
    location: "New York, USA",
    customer_name: "你好啊集团",
  });
});
