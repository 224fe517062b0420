import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { addFault, parseToFault } from "./first-fault.ts";

let looks = 0;
const counted = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => {
    looks++;
    return value;
  }, schema);

const inner = z.object({ a: z.string() });
const schemas: [what: string, schema: z.ZodType][] = [
  ["plain items", z.array(counted(z.looseObject({ a: z.string() })))],
  ["items of a union", z.union([z.string(), z.array(counted(inner))])],
  [
    "items that a refinement inspects",
    z.array(counted(z.unknown().superRefine((value, context) => addFault(context, parseToFault(inner, value))))),
  ],
  ["lists in objects", z.object({ list: z.object({ items: z.array(counted(inner)) }) })],
];
for (const [what, schema] of schemas) {
  test(`inspects nothing after the first fault: ${what}`, () => {
    looks = 0;
    const items = [{ a: "good" }, { a: "good" }, ...Array<number>(100_000).fill(1)];
    const result = parseToFault(schema, what === "lists in objects" ? { list: { items } } : items);
    assert.equal(looks, 3);
    assert.equal(result.error?.issues.length, 1);
  });
}

test("rejects a list that is too long before inspecting its items", () => {
  looks = 0;
  assert.equal(parseToFault(z.array(counted(z.string())).max(1_000), Array(100_000).fill(1)).success, false);
  assert.equal(looks, 0);
});

test("parses valid input unchanged, and a nested fault keeps its path and message", () => {
  assert.deepEqual(parseToFault(z.object({ a: z.coerce.number() }), { a: "1", b: 2 }), {
    success: true,
    data: { a: 1 },
  });
  const outer = z.unknown().superRefine((value, context) => addFault(context, parseToFault(inner, value), ["x", 3]));
  const [issue] = parseToFault(outer, { a: 1 }).error?.issues ?? [];
  assert.deepEqual([issue?.path, issue?.message], [["x", 3, "a"], "Invalid input: expected string, received number"]);
});
