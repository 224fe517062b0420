import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { documentNames } from "@uag/router/docs/documents";
import { openApiFile, openApiText } from "@uag/router/openapi/file";
import type { Check } from "./check.ts";

/** Checks that the committed OpenAPI documents match the schemas, the routes and the error table. */
export const openapi: Check = {
  name: "openapi",
  async run({ fix }) {
    const problems: string[] = [];
    for (const name of documentNames) {
      const [file, text] = [openApiFile(name), openApiText(name)];
      if ((await readFile(file, "utf8").catch(() => "")) === text) continue;
      if (fix) await writeFile(file, text);
      else problems.push(`gateway/${basename(file)} differs from the schemas; run: npm run openapi`);
    }
    return problems;
  },
};
