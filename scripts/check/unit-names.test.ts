import assert from "node:assert/strict";
import { test } from "node:test";
import { unitTable } from "../../services/catalog/src/units.ts";
import { models } from "../../services/console/web/src/i18n/en/models.ts";
import { perOf } from "../../services/console/web/src/pages/models/prices.ts";

test("every unit that may have a price is shown by a name, and per as many as the catalogue means", () => {
  assert.deepEqual(Object.keys(models.units).sort(), Object.keys(unitTable).sort());
  for (const [unit, { per }] of Object.entries(unitTable)) assert.equal(perOf(unit), per, unit);
});
