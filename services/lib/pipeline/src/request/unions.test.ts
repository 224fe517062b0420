import assert from "node:assert/strict";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parseToFault } from "@uag/untrusted/first-fault";
import { z } from "zod";

const requests = join(import.meta.dirname, "../../../contract/src/requests");

/** Every schema within a schema, itself included. */
function within(schema: z.core.$ZodType, found = new Set<z.core.$ZodType>()): Set<z.core.$ZodType> {
  if (found.has(schema)) return found;
  found.add(schema);
  for (const inner of childrenOf(schema)) within(inner, found);
  return found;
}

function childrenOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  const def = schema._zod.def as unknown as Record<string, unknown>;
  const inside = ["innerType", "element", "in", "out", "valueType", "getter"].map((name) => def[name]);
  const fields = def["type"] === "object" ? Object.values(def["shape"] as object) : [];
  const members = (def["options"] ?? []) as unknown[];
  return [...inside, ...fields, ...members].filter((value) => value instanceof z.core.$ZodType);
}

/** Every union of every request's schema, with the file that declares it. */
async function unions(): Promise<[file: string, union: z.ZodType][]> {
  const found = new Map<z.core.$ZodType, string>();
  for await (const file of glob("*.ts", { cwd: requests })) {
    const exported = Object.values((await import(join(requests, file))) as Record<string, unknown>);
    for (const schema of exported.filter((value) => value instanceof z.core.$ZodType))
      for (const inner of within(schema)) if (inner._zod.def.type === "union") found.set(inner, file);
  }
  return [...found].map(([union, file]) => [file, union as z.ZodType]);
}

const wrongValues: readonly unknown[] = [
  null,
  true,
  -12.5,
  "\u0000",
  "x".repeat(100_000),
  [],
  [null],
  [{}],
  [{ type: "nothing" }],
  {},
  { type: 5 },
  { type: "nothing" },
];

test("an error about a union names the expected alternatives, in every request", async () => {
  const all = await unions();
  assert.ok(all.length >= 10, `${all.length} unions were found`);
  for (const [file, union] of all) {
    const faults = wrongValues.flatMap((value) => {
      const result = parseToFault(union, value);
      return result.success ? [] : [{ value, issue: result.error.issues[0] }];
    });
    assert.ok(faults.length > 0, `a union of ${file} accepts everything`);
    for (const { value, issue } of faults)
      assert.doesNotMatch(issue?.message ?? "", /^(Invalid input|Invalid)?\.?$/, `${file}: ${JSON.stringify(value)}`);
  }
});
