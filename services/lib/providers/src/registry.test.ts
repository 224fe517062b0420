import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { protocolNames } from "@uag/catalog/protocols";

/** The vendors whose models a cloud serves by their protocols: it imports what their `provider.ts` exports. */
const vendorsOf: Readonly<Record<string, readonly string[]>> = {
  bedrock: ["anthropic"],
  vertex: ["anthropic", "gemini"],
};

test("no provider's folder imports another's but a cloud those of its vendors, and only the registry imports them", async () => {
  for await (const file of glob("**/*.ts", { cwd: import.meta.dirname })) {
    if (file === "registry.ts" || file.endsWith(".test.ts")) continue;
    const [folder = ""] = file.split("/");
    const text = await readFile(join(import.meta.dirname, file), "utf8");
    const vendors = vendorsOf[folder] ?? [];
    const source = vendors.reduce((rest, vendor) => rest.replaceAll(`from "../${vendor}/provider.ts"`, ""), text);
    for (const provider of protocolNames)
      if (provider !== folder) assert.doesNotMatch(source, new RegExp(`from "\\.{1,2}/(?:\\.\\./)*${provider}/`), file);
  }
});
