import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ProviderEnvironment, providerEnvironments } from "@uag/catalog/provider-environment";
import { repoRoot as root } from "@uag/local/paths";
import type { Check } from "./check.ts";

const file = "infra/compose.yaml";
const catalogFile = "infra/config/catalog.yaml";
const begin = "  # Made from the catalogue by npm run check -- --fix:\n";
const end = "  # End of the catalogue's variables.\n";

/** A provider's variables, whose default is the simulator. */
function linesOf({ apiKeyVariables: keys, baseUrlVariable: url, simulatorPath: path }: ProviderEnvironment): string {
  const keyLines = keys.map((key) => `  ${key}: \${${key}:-simulator}\n`).join("");
  return url === undefined ? keyLines : `${keyLines}  ${url}: \${${url}:-http://simulator:9090${path ?? ""}}\n`;
}

/** Checks that the compose file passes the variables of every provider in the catalogue to the services. */
export const composeProviders: Check = {
  name: "compose file's providers",
  async run({ fix }) {
    const [content, catalog] = await Promise.all([file, catalogFile].map((name) => readFile(join(root, name), "utf8")));
    const [head, rest] = (content ?? "").split(begin);
    const tail = rest?.split(end)[1];
    if (head === undefined || tail === undefined) return [`${file} has no place for the catalogue's variables`];
    const lines = providerEnvironments(catalog ?? "")
      .map(linesOf)
      .join("");
    const expected = head + begin + lines + end + tail;
    if (content === expected) return [];
    if (!fix) return [`${file} differs from the catalogue's providers; run: npm run check -- --fix`];
    await writeFile(join(root, file), expected);
    return [];
  },
};
