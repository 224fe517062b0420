import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot as root } from "@uag/local/paths";
import { fieldsPage } from "../fidelity/page.ts";
import type { Check } from "./check.ts";

const file = "gateway/src/docs/guides/fields.md";

export const fieldsDoc: Check = {
  name: "table of request fields",
  async run({ fix }) {
    const page = await fieldsPage();
    if ((await readFile(join(root, file), "utf8").catch(() => "")) === page) return [];
    if (!fix) return [`${file} differs from the adapters; run: npm run check -- --fix`];
    await writeFile(join(root, file), page);
    return [];
  },
};
