import { glob, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { repoRoot as root } from "@uag/local/paths";
import type { Check } from "./check.ts";
import { configTable, type FieldSchema, tableIn, withTable } from "./config-table.ts";

interface ConfigModule {
  readonly schema?: { readonly shape?: Readonly<Record<string, FieldSchema>> };
}

async function problemWith(configFile: string, fix: boolean): Promise<string | undefined> {
  const { schema } = (await import(join(root, configFile))) as ConfigModule;
  if (schema?.shape === undefined) return `${configFile} exports no zod object named \`schema\``;
  const readme = join(dirname(configFile), "../README.md");
  const text = await readFile(join(root, readme), "utf8").catch(() => undefined);
  if (text === undefined) return `${readme} is missing`;
  const table = configTable(schema.shape);
  if (tableIn(text) === table) return undefined;
  if (!fix) return `the settings in ${readme} differ from ${configFile}; run: npm run check -- --fix`;
  await writeFile(join(root, readme), withTable(text, table));
  return undefined;
}

export const configDocs: Check = {
  name: "settings in the READMEs",
  async run({ fix }) {
    const problems: string[] = [];
    for await (const main of glob("{gateway,services/{*,lib/*,dev/*}}/src/main.ts", { cwd: root })) {
      const problem = await problemWith(join(dirname(main), "config.ts"), fix);
      if (problem) problems.push(problem);
    }
    return problems;
  },
};
