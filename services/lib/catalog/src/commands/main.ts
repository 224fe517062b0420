import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import { CatalogError } from "../catalog-error.ts";
import { parseCatalog } from "../parse.ts";
import { catalogSchema } from "../schema.ts";

const help = `Validates the model catalogue.

  npm run catalog -- validate [file]   checks it, and lists the providers that are not served here and why
  npm run catalog -- schema            writes the JSON schema that editors use (infra/config/catalog.schema.json)

Default file: CATALOG_FILE, or infra/config/catalog.yaml.
`;

const schemaFile = "infra/config/catalog.schema.json";

async function validate(file: string): Promise<void> {
  const catalog = parseCatalog(await readFile(file, "utf8"), process.env);
  const unserved = catalog.unserved.map((line) => `  not served: ${line}\n`).join("");
  process.stdout.write(`${file} is valid: ${catalog.models.size} models can be served here.\n${unserved}`);
}

async function writeSchema(): Promise<void> {
  const schema = z.toJSONSchema(catalogSchema, { io: "input" });
  await writeFile(schemaFile, `${JSON.stringify(schema, null, 2)}\n`);
  process.stdout.write(`${schemaFile} written.\n`);
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { help: { type: "boolean" } } });
const [command, file = process.env["CATALOG_FILE"] ?? "infra/config/catalog.yaml"] = positionals;
try {
  if (values.help) process.stdout.write(help);
  else if (command === "validate") await validate(file);
  else if (command === "schema") await writeSchema();
  else {
    process.stderr.write(help);
    process.exitCode = 2;
  }
} catch (error) {
  process.stderr.write(`${error instanceof CatalogError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
