import assert from "node:assert/strict";
import { test } from "node:test";
import { unitTable } from "@uag/catalog/units";
import { models } from "@uag/console-web/i18n/en/models";
import { perOf } from "@uag/console-web/prices";

test("every unit that may have a price is shown by a name, and per as many as the catalogue means", () => {
  assert.deepEqual(Object.keys(models.units).sort(), Object.keys(unitTable).sort());
  for (const [unit, { per }] of Object.entries(unitTable)) assert.equal(perOf(unit), per, unit);
});
