import { readFile, writeFile } from "node:fs/promises";
import { openApiFile, openApiText } from "../../services/fleet/src/openapi/file.ts";
import type { Check } from "./check.ts";

/** The committed OpenAPI document says what the schemas, the routes and the error table say. */
export const openapi: Check = {
  name: "openapi",
  async run({ fix }) {
    const text = openApiText();
    if ((await readFile(openApiFile, "utf8").catch(() => "")) === text) return [];
    if (!fix) return ["gateway/openapi.json is not what the schemas make; run: npm run openapi"];
    await writeFile(openApiFile, text);
    return [];
  },
};
