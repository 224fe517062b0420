import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { CatalogError } from "./catalog-error.ts";
import { readRows } from "./parse.ts";
import { boundedUnits, sizings } from "./sizing.ts";
import type { UnitName } from "./units.ts";

const yaml = await readFile(join(import.meta.dirname, "../../../../infra/config/catalog.yaml"), "utf8");

test("rejects a catalogue if any priced unit loses its bound, and names every model that prices it", () => {
  const { models } = readRows(yaml);
  const priced = new Set(models.flatMap(({ price: { tiers: _, ...base } }) => Object.keys(base) as UnitName[]));
  assert.ok(priced.has("web_searches"));
  for (const lost of priced) {
    const without = Object.fromEntries(
      Object.entries(boundedUnits).map(([operation, units]) => [operation, units.filter((unit) => unit !== lost)]),
    );
    const concerned = models.filter(({ price }) => price[lost] !== undefined);
    assert.throws(
      () => readRows(yaml, without),
      (error) => {
        assert.ok(error instanceof CatalogError);
        for (const { id } of concerned)
          assert.ok(error.message.includes(`models[${id}].price: no sizing bounds ${lost}`), `${id}: ${lost}`);
        return true;
      },
    );
  }
});

test("bounds a declared quantity for each of its operations", () => {
  assert.ok(boundedUnits["messages"]?.includes("web_searches"));
  for (const units of Object.values(sizings.images))
    for (const unit of units) assert.ok(boundedUnits["images.edits"]?.includes(unit), unit);
});
