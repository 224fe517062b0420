// npm run catalog: checks the catalogue's file, and exports and applies changes of the running fleet's catalogue.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { CatalogError } from "@uag/catalog/catalog-error";
import { changesText, type PlannedChange, planChanges, readChanges } from "@uag/catalog/changes-file";
import { parseCatalog } from "@uag/catalog/parse";
import { catalogSchema } from "@uag/catalog/schema";
import { catalogChanges } from "@uag/contract/responses/admin-providers";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import { type AdminApi, adminApi } from "./admin-api.ts";
import { readRunningFleet } from "./options.ts";

const help = `npm run catalog -- <command>

  validate [file]   checks the catalogue's file, and lists the providers that are not served here and why
  schema            writes the JSON schema that editors use (infra/config/catalog.schema.json)
  export            writes what was changed of the running fleet's catalogue to standard output, without credentials
  apply <file>      changes the running fleet's catalogue to what an exported file has; each change is audited
    --plan            only lists the changes
    --prune           also deletes added providers and models that the file does not have, and takes back other changes

Default file of validate: CATALOG_FILE, or infra/config/catalog.yaml. A price that was set is never taken back.
`;

const schemaFile = "infra/config/catalog.schema.json";

async function validate(file: string): Promise<void> {
  const catalog = parseCatalog(await readFile(file, "utf8"), process.env);
  const unserved = catalog.unserved.map((line) => `\n  not served: ${line}`).join("");
  print(`${file} is valid: ${catalog.models.size} models can be served here.${unserved}`);
}

async function writeSchema(): Promise<void> {
  const schema = z.toJSONSchema(catalogSchema, { io: "input" });
  await writeFile(schemaFile, `${JSON.stringify(schema, null, 2)}\n`);
  print(`${schemaFile} written.`);
}

const openFleet = async (): Promise<AdminApi> => adminApi(await readRunningFleet());

async function exportChanges(): Promise<void> {
  const changes = catalogChanges.parse(await (await openFleet()).call("GET", "/catalog"));
  print(`# Changes of the catalogue in the running gateway: version ${changes.version}.`);
  print(changesText(changes).trimEnd());
}

const listed = z.object({ id: z.string(), source: z.enum(["file", "runtime"]) });

/** The ids of the catalogue's file. */
async function idsInFile(api: AdminApi, path: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const row of api.rows(path)) {
    const { id, source } = listed.parse(row);
    if (source === "file") ids.add(id);
  }
  return ids;
}

const marks = { create: "+", update: "~", delete: "-" } as const;

/** A change as the plan lists it. */
function lineOf({ kind, id, action, fields, before }: PlannedChange): string {
  const values = Object.entries(fields).map(([field, value]) => {
    const [old, next] = [before[field], value].map((each) => JSON.stringify(each) ?? "unset");
    return `\n    ${field}: ${action === "create" ? next : `${old} -> ${value === null ? "unset" : next}`}`;
  });
  return `${marks[action]} ${kind} ${id}${values.join("")}`;
}

async function carryOut(api: AdminApi, { kind, id, action, revision, fields }: PlannedChange): Promise<void> {
  const path = `/${kind}/${encodeURIComponent(id)}`;
  if (action === "delete") await api.call("DELETE", path);
  else if (action === "update") await api.call("PATCH", path, { revision, ...fields });
  else await api.call("POST", `/${kind}`, { id, ...fields });
}

async function apply(file: string, { plan = false, prune = false }): Promise<void> {
  const wanted = readChanges(await readFile(file, "utf8"));
  const api = await openFleet();
  const { providers, models } = catalogChanges.parse(await api.call("GET", "/catalog"));
  const fileProviders = await idsInFile(api, "/providers");
  const fileModels = await idsInFile(api, "/models");
  const changes = planChanges(wanted, { providers, models, fileProviders, fileModels }, prune);
  for (const change of changes) {
    if (!plan) await carryOut(api, change);
    print(lineOf(change));
  }
  const count = `${changes.length} ${changes.length === 1 ? "change" : "changes"}`;
  print(plan ? `${count} planned. Nothing was changed.` : `${count} made.`);
  const unkeyed = changes.filter(({ kind, action }) => kind === "providers" && action === "create");
  for (const { id } of plan ? [] : unkeyed) print(`${id} has no key yet: npm run providers -- add-key ${id}`);
}

async function run(): Promise<void> {
  const flag = { type: "boolean" } as const;
  const options = { plan: flag, prune: flag, help: { ...flag, short: "h" } } as const;
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const [command, file] = positionals;
  if (values.help || command === undefined) print(help);
  else if (command === "validate") await validate(file ?? process.env["CATALOG_FILE"] ?? "infra/config/catalog.yaml");
  else if (command === "schema") await writeSchema();
  else if (command === "export") await exportChanges();
  else if (command !== "apply") throw new UserError(`Unknown command "${command}".\n\n${help}`);
  else if (file === undefined) throw new UserError("The file is missing: npm run catalog -- apply <file>.");
  else await apply(file, values);
}

await run().catch((error: unknown) => fail(error instanceof CatalogError ? new UserError(error.message) : error));
