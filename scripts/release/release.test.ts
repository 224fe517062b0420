import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { repoRoot } from "@uag/local/paths";
import { changelogEntry, withEntry } from "./changelog.ts";
import { type Change, changesSince } from "./changes.ts";
import { nextVersion } from "./version.ts";
import { writeVersion } from "./versioned.ts";

let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "release-"));
});
after(() => rm(dir, { recursive: true, force: true }));

const change = (subject: string, files: readonly string[], breaking: readonly string[] = []): Change => ({
  subject,
  files,
  breaking,
});
const fix = change("chat: close a stream once", ["services/chat/src/stream.ts"]);
const field = change("billing: name a budget", ["proto/billing/v1/budgets.proto", "services/billing/src/budgets.ts"]);
const removal = change(
  "media: remove a setting",
  ["services/media/src/config.ts"],
  ["Remove URL_LIMIT from your values."],
);

test("a release's version follows from its changes: breaking, of an interface, or neither", () => {
  assert.equal(nextVersion("1.4.2", [fix]), "1.4.3");
  assert.equal(nextVersion("1.4.2", [fix, field]), "1.5.0");
  assert.equal(nextVersion("1.4.2", [fix, field, removal]), "2.0.0");
  assert.equal(nextVersion("1.4.2", [change("proto: generate", ["proto/gen/billing/v1/budgets.ts"])]), "1.4.3");
  assert.throws(() => nextVersion("1.4.2", []), /No commits since 1\.4\.2/);
  assert.throws(() => nextVersion("latest", [fix]), /package\.json/);
});

test("a release's entry lists breaking changes, interfaces and other shipped changes above earlier releases", () => {
  const unshipped = change("bench: print a table", ["scripts/bench/main.ts", "services/dev/proofs/src/a.ts"]);
  const entry = changelogEntry("2.0.0", "2026-11-29", [fix, field, removal, unshipped]);
  assert.equal(
    entry,
    `## 2.0.0 (2026-11-29)

### Breaking

- Remove URL_LIMIT from your values.

### Interfaces

- billing: name a budget
- media: remove a setting

### Other changes

- chat: close a stream once
`,
  );
  const whole = withEntry("# Changelog\n\nAbout it.\n\n## 1.0.0 (2026-11-23)\n\nThe first.\n", entry);
  assert.equal(whole, `# Changelog\n\nAbout it.\n\n${entry}\n## 1.0.0 (2026-11-23)\n\nThe first.\n`);
  const long = changelogEntry("1.0.1", "2026-11-29", [
    change(`chat: ${"word ".repeat(60)}`.trim(), ["infra/README.md"]),
  ]);
  assert.ok(long.split("\n").every((line) => line.length <= 120));
});

test("changes are read from the commits after the last release, with what is breaking and without merges", async () => {
  const root = join(dir, "repository");
  await mkdir(root);
  const git = async (...args: string[]): Promise<void> => {
    const identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "init.defaultBranch=main"];
    await promisify(execFile)("git", [...identity, ...args], { cwd: root });
  };
  const commit = async (file: string, message: string): Promise<void> => {
    await writeFile(join(root, file), message);
    await git("add", "--all");
    await git("commit", "--quiet", "-m", message);
  };
  await git("init", "--quiet");
  await commit("a", "all: start");
  await git("tag", "v1.0.0");
  await commit("b", "chat: close a stream once");
  await git("checkout", "--quiet", "-b", "side");
  await commit(
    "c",
    "media: remove a setting\n\nIt had no use.\n\nBreaking: remove URL_LIMIT\nfrom your values.\nReviewed-by: A",
  );
  await git("checkout", "--quiet", "main");
  await git("merge", "--quiet", "--no-ff", "-m", "Merge side", "side");
  assert.deepEqual(await changesSince("v1.0.0", root), [
    { subject: "chat: close a stream once", breaking: [], files: ["b"] },
    { subject: "media: remove a setting", breaking: ["remove URL_LIMIT from your values."], files: ["c"] },
  ]);
});

test("a release writes its version wherever this one's is stated, and into no engine's", async () => {
  const { stdout } = await promisify(execFile)("git", ["ls-files", "package.json", "infra", "scripts"], {
    cwd: repoRoot,
  });
  const files = stdout
    .trim()
    .split("\n")
    .filter((file) => !file.startsWith("infra/helm/released/"));
  const root = join(dir, "checkout");
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await cp(join(repoRoot, file), join(root, file));
  }
  const { version } = JSON.parse(await readFile(join(repoRoot, "package.json"), "utf8")) as { version: string };
  const changed = await writeVersion(version, "99.8.7", root);
  for (const file of files.filter((name) =>
    /Chart\.yaml$|^infra\/(?:compose|gitops|Dockerfile)|^package\.json$/.test(name),
  )) {
    const text = await readFile(join(root, file), "utf8");
    const before = await readFile(join(repoRoot, file), "utf8");
    assert.equal(text.split("99.8.7").length, before.split(version).length, file);
    assert.equal(changed.includes(file), before.includes(version), file);
  }
  const nats = await readFile(join(root, "infra/helm/nats/Chart.yaml"), "utf8");
  assert.match(nats, /^version: 99\.8\.7$/m);
  assert.match(nats, /^appVersion: "2\./m);
  for (const file of files.filter((name) => name.startsWith("scripts/cluster/")))
    assert.ok(
      !(await readFile(join(root, file), "utf8")).includes(`:${version}`),
      `${file} names no image of ${version}`,
    );
});
