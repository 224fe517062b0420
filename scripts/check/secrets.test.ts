import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const handbook = "infra/README.md";
/** Names of settings with a secret, excluding paths of files and previous values. */
const secret = /(?:(?<!PER)_KEYS?|_SECRET|_PASSWORD|_TOKEN|_PEPPER|_CREDS|^MONGODB_URL|^SMTP_URL)$/;

const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");

/** The settings of every service, from the generated tables in their READMEs. */
async function settings(): Promise<string[]> {
  const names: string[] = [];
  for await (const path of glob("{gateway,services/{*,lib/*,dev/*}}/README.md", { cwd: root }))
    names.push(...[...(await read(path)).matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map(([, name = ""]) => name));
  return names;
}

test("the handbook describes the replacement of every secret of a service or chart", async () => {
  const [, section = ""] = (await read(handbook)).split("\n## Rotate a secret\n");
  const table = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  const covered = new Set(table.flatMap((line) => [...line.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name)));
  const asked: string[] = [];
  for await (const path of glob("infra/helm/*/values.yaml", { cwd: root }))
    asked.push(...(/^secretKeys: \[(.*)\]$/m.exec(await read(path))?.[1] ?? "").split(", ").filter(Boolean));
  const taken = (await settings()).filter((name) => secret.test(name));
  assert.ok(taken.length > 20 && asked.length > 10, "the tables were read");
  assert.deepEqual([...new Set([...taken, ...asked])].filter((name) => !covered.has(name)).sort(), []);
});
