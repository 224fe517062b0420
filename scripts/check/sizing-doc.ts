import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot as root } from "@uag/local/paths";
import { handbookTable, readFigures } from "../sizing/handbook.ts";
import type { Check } from "./check.ts";

const file = "infra/README.md";
const between = /(?<=<!-- sizing -->\n)[\s\S]*(?=<!-- \/sizing -->)/;

export const sizingDoc: Check = {
  name: "table of sizes",
  async run({ fix }) {
    const page = await readFile(join(root, file), "utf8");
    if (!between.test(page))
      return [`${file} has no place for the table of sizes: <!-- sizing --> to <!-- /sizing -->`];
    const table = `${handbookTable(await readFigures())}\n`;
    const updated = page.replace(between, () => table);
    if (updated === page) return [];
    if (!fix) return [`${file} differs from infra/sizing.json; run: npm run check -- --fix`];
    await writeFile(join(root, file), updated);
    return [];
  },
};
