import assert from "node:assert/strict";
import { test } from "node:test";
import { unitTable } from "@uag/catalog/units";
import { models } from "@uag/console-web/i18n/en/models";
import { perOf } from "@uag/console-web/prices";

test("every priced unit is shown with a name and the catalogue's quantity", () => {
  assert.deepEqual(Object.keys(models.units).sort(), Object.keys(unitTable).sort());
  for (const [unit, { per }] of Object.entries(unitTable)) assert.equal(perOf(unit), per, unit);
});
