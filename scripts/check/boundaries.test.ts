import assert from "node:assert/strict";
import { cp, glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { runTool } from "@uag/local/engines/run-tool";
import { repoRoot as root } from "@uag/local/paths";

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Package {
  readonly name: string;
  readonly dir: string;
  /** Packages of this repository only. */
  readonly dependencies: readonly string[];
}

const folders = "{proto,gateway,services/*,services/lib/*,services/dev/*,services/console/web}";
const direction = "lint/style/noRestrictedImports";
const undeclared = "lint/correctness/noUndeclaredDependencies";
const anotherPackage = "plugin";

/** Imports that Biome must reject: the file, the import and the rule. */
const refused = [
  ["services/chat/src/probe.ts", "@uag/billing/service", direction],
  ["services/chat/src/probe.ts", "@uag/local/paths", direction],
  ["services/chat/src/probe.test.ts", "@uag/local/paths", direction],
  ["services/chat/src/probe.ts", "@uag/harness/upstream", undeclared],
  ["services/speech/src/probe.ts", "@uag/mongo/connect", undeclared],
  ["services/lib/usage/src/probe.ts", "@uag/metering/service", direction],
  ["services/lib/usage/src/probe.test.ts", "@uag/chat/service", direction],
  ["services/lib/usage/src/probe.ts", "@uag/pipeline/operation/handle", undeclared],
  ["services/lib/usage/bench/probe.ts", "@uag/cli/options", direction],
  ["gateway/src/probe.ts", "@uag/chat/service", direction],
  ["gateway/test/probe.ts", "@uag/e2e/console/browser", direction],
  ["services/auditor/src/probe.ts", "@uag/billing/service", direction],
  ["services/auditor/test/probe.ts", "@uag/chat/service", undeclared],
  ["services/console/web/src/probe.ts", "@uag/runtime/log", direction],
  ["services/lib/contract/src/probe.ts", "@uag/runtime/log", direction],
  ["services/lib/contract/src/probe.test.ts", "@uag/harness/upstream", direction],
  ["services/dev/simulator/src/probe.ts", "@uag/contract/routes", direction],
  ["services/lib/ledger/src/rules/probe.ts", "mongoose", direction],
  ["services/lib/ledger/src/rules/probe.test.ts", "mongoose", direction],
  ["services/lib/ledger/src/rules/probe.test.ts", "../documents/keys.ts", direction],
  ["services/lib/ledger/src/permits/probe.test.ts", "@uag/mongo/connect", direction],
  ["services/lib/ledger/src/permits/deep/probe.ts", "../../books/books.ts", direction],
  ["services/metering/test/probe.ts", "../../billing/test/harness.ts", anotherPackage],
  ["services/metering/test/probe.ts", "../../billing/src/service.ts", anotherPackage],
  ["services/metering/bench/probe.ts", "../../billing/bench/main.ts", anotherPackage],
  ["scripts/probe/probe.ts", "../../services/dev/e2e/test/console/browser.ts", anotherPackage],
] as const;

/** Imports that Biome must accept. */
const accepted = [
  ["services/chat/src/probe.ts", "@uag/pipeline/operation/handle"],
  ["services/chat/src/probe.test.ts", "@uag/harness/upstream"],
  ["services/chat/test/probe.ts", "@uag/simulator/routes"],
  ["services/auditor/test/probe.ts", "@uag/billing/service"],
  ["services/console/web/src/probe.ts", "@uag/contract/routes"],
  ["services/lib/ledger/src/rules/probe.ts", "./settle.ts"],
  ["services/lib/ledger/src/books/probe.ts", "mongoose"],
  ["services/lib/usage/test/probe.ts", "../src/admission.ts"],
  ["services/lib/link/bench/codec/probe.ts", "../../src/codec.ts"],
  ["services/dev/proofs/src/probe.ts", "@uag/billing/service"],
  ["scripts/probe/probe.ts", "@uag/e2e/console/browser"],
] as const;

const packages: Package[] = [];
const kindOf = ({ dir }: Package): string => /^services\/(?:lib|dev)\/|^[a-z]+/.exec(dir)?.[0] ?? "";

before(async () => {
  for await (const file of glob(`${folders}/package.json`, { cwd: root })) {
    const { name, dependencies = {} } = JSON.parse(await readFile(join(root, file), "utf8")) as Manifest;
    const own = Object.keys(dependencies).filter((one) => one.startsWith("@uag/"));
    packages.push({ name, dir: dirname(file), dependencies: own });
  }
});

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** The rules that Biome reports for each import with this repository's configuration. */
async function lint(probes: readonly (readonly [file: string, specifier: string])[]): Promise<string[][]> {
  const found = probes.map((): string[] => []);
  await withTemporaryDir(async (dir) => {
    for await (const file of glob([`${folders}/package.json`, "package.json", "biome.json", "scripts/check/*.grit"], {
      cwd: root,
    }))
      await cp(join(root, file), join(dir, file));
    const files = probes.map(([file], at) => file.replace("probe", `probe-${at}`));
    for (const [at, [, specifier]] of probes.entries())
      await write(join(dir, files[at] ?? ""), `import { probe } from "${specifier}";\nprobe();\n`);
    const args = ["lint", "--reporter=json", "--max-diagnostics=none", "--vcs-enabled=false"];
    const { output } = await runTool(join(root, "node_modules/.bin/biome"), args, { cwd: dir });
    const { diagnostics } = JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1)) as {
      diagnostics: { category: string; location: { path: string } }[];
    };
    for (const { category, location } of diagnostics) found[files.indexOf(location.path)]?.push(category);
  });
  return found;
}

test("Biome rejects an import against the layering, of an undeclared package, or of another package's files", async () => {
  const found = await lint(refused.map(([file, specifier]) => [file, specifier]));
  const silent = refused.filter(([, , rule], at) => !found[at]?.includes(rule));
  assert.deepEqual(silent, []);
});

test("Biome accepts a declared import that follows the layering", async () => {
  const found = await lint(accepted);
  assert.deepEqual(
    found.map((rules, at) => [accepted[at]?.join(" imports "), rules]).filter(([, rules]) => rules?.length),
    [],
  );
});

test("libraries and services depend on libraries only, except for development", () => {
  const allowed = new Set(
    packages.filter((one) => ["services/lib/", "proto"].includes(kindOf(one))).map(({ name }) => name),
  );
  assert.ok(allowed.size > 10);
  const wrong = packages
    .filter((one) => kindOf(one) !== "services/dev/")
    .flatMap(({ name, dependencies }) =>
      dependencies.filter((one) => !allowed.has(one)).map((one) => `${name} -> ${one}`),
    );
  assert.deepEqual(wrong, []);
});

test("Biome's list of libraries matches the libraries' folder", async () => {
  const text = await readFile(join(root, "biome.json"), "utf8");
  const listed = new Set(Array.from(text.matchAll(/"!(@uag\/[\w-]+)\/\*\*"/g), ([, name]) => name));
  const libraries = packages.filter((one) => ["services/lib/", "proto"].includes(kindOf(one))).map(({ name }) => name);
  assert.deepEqual([...listed].sort(), [...libraries, "@uag/harness", "@uag/simulator"].sort());
});

test("no package depends on itself indirectly, except for development", () => {
  const byName = new Map(packages.map((one) => [one.name, one]));
  const cycles = (name: string, path: readonly string[]): string[] =>
    path.includes(name)
      ? [[...path.slice(path.indexOf(name)), name].join(" -> ")]
      : (byName.get(name)?.dependencies ?? []).flatMap((next) => cycles(next, [...path, name]));
  assert.deepEqual([...new Set(packages.flatMap(({ name }) => cycles(name, [])))], []);
});
