import { readFile } from "node:fs/promises";
import { CatalogError, parseCatalog } from "../parse.ts";

const file = process.argv[2] ?? process.env["CATALOG_FILE"] ?? "infra/config/catalog.yaml";
try {
  const catalog = parseCatalog(await readFile(file, "utf8"), process.env);
  const unserved = catalog.unserved.map((line) => `  not served: ${line}\n`).join("");
  process.stdout.write(`${file} is valid: ${catalog.models.size} models can be served here.\n${unserved}`);
} catch (error) {
  process.stderr.write(`${error instanceof CatalogError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
