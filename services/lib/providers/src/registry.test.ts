import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { protocolNames } from "@uag/catalog/protocols";

test("no provider's folder imports another's, and only the registry imports them", async () => {
  for await (const file of glob("**/*.ts", { cwd: import.meta.dirname })) {
    if (file === "registry.ts" || file.endsWith(".test.ts")) continue;
    const [folder = ""] = file.split("/");
    const source = await readFile(join(import.meta.dirname, file), "utf8");
    for (const provider of protocolNames)
      if (provider !== folder) assert.doesNotMatch(source, new RegExp(`from "\\.{1,2}/(?:\\.\\./)*${provider}/`), file);
  }
});
