import assert from "node:assert/strict";
import { test } from "node:test";
import { configTable, tableIn, withTable } from "./config-table.ts";

const text = { def: { type: "string" } };
const shape = {
  PORT: { description: "Port to listen on.", def: { type: "default", defaultValue: 8080, innerType: text } },
  URL: { def: { type: "string" }, description: "Where a|b is." },
  NAMES: {
    description: "Names.",
    def: { type: "pipe", in: { def: { type: "default", defaultValue: "", innerType: text } } },
  },
  EXTRA: { def: { type: "optional", innerType: { ...text, description: "An inner description." } } },
};
const table = `| Variable | Default | What it does |
|---|---|---|
| \`PORT\` | \`8080\` | Port to listen on. |
| \`URL\` | required | Where a\\|b is. |
| \`NAMES\` | empty | Names. |
| \`EXTRA\` | none | An inner description. |`;

test("the table has each setting's default and description regardless of the schema's wrappers", () => {
  assert.equal(configTable(shape), table);
});

test("a table is replaced without changing the text around it", () => {
  const readme = "# Name\n\nBefore\n\n<!-- config -->\nold\n<!-- /config -->\n\nAfter\n";
  const fixed = withTable(readme, table);
  assert.equal(tableIn(fixed), table);
  assert.equal(fixed.replace(table, "old"), readme);
  assert.equal(withTable(fixed, table), fixed);
});

test("the table is appended to a README without a place for it", () => {
  assert.equal(tableIn(withTable("# Name\n", table)), table);
});
