import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { catalogSchema } from "../src/schema.ts";

const config = join(import.meta.dirname, "../../../../infra/config");

test("the JSON schema for editors equals the schema that validates", async () => {
  const written = JSON.parse(await readFile(join(config, "catalog.schema.json"), "utf8"));
  assert.deepEqual(written, JSON.parse(JSON.stringify(z.toJSONSchema(catalogSchema, { io: "input" }))));
});
