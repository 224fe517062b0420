import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { parseCatalog } from "../src/parse.ts";
import { catalogSchema } from "../src/schema.ts";

const config = join(import.meta.dirname, "../../../infra/config");

test("the JSON schema that editors use is the one that validates; npm run catalog -- schema writes it", async () => {
  const written = JSON.parse(await readFile(join(config, "catalog.schema.json"), "utf8"));
  assert.deepEqual(written, JSON.parse(JSON.stringify(z.toJSONSchema(catalogSchema, { io: "input" }))));
});

test("the catalogue that is shipped is valid, and with every key set all its models are served", async () => {
  const text = await readFile(join(config, "catalog.yaml"), "utf8");
  const keys = [...text.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => [name, "key"]);
  const catalog = parseCatalog(text, Object.fromEntries(keys));
  assert.deepEqual(catalog.unserved, []);
  assert.ok(catalog.models.size > 50);
});
