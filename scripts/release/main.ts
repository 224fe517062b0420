// npm run release: makes the files of a release.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { repoRoot } from "@uag/local/paths";
import { lastRelease } from "@uag/local/release";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { helmDir } from "../charts/charts.ts";
import { generated } from "../charts/generate.ts";
import { releaseProto } from "../check/proto.ts";
import { changelogEntry, withEntry } from "./changelog.ts";
import { changesSince } from "./changes.ts";
import { releasedValues } from "./values.ts";
import { nextVersion } from "./version.ts";
import { writeVersion } from "./versioned.ts";

const help = `npm run release [-- --dry-run] [-- --version <version>]

Makes a release of the commits since the last one (the newest tag, or the commit in infra/released.txt): computes its
version, writes it into package.json, the charts with their default image tags, infra/compose.yaml and the documents,
adds the entry of CHANGELOG.md, and keeps what later releases are compared with: the charts' values in
infra/helm/released, the interfaces in proto/released.binpb, and the commit. Then prints the commands that publish it.

The version is the next major one if a commit's body has a line "Breaking: <what to do>", the next minor one if a commit
changes an interface (API, protobuf, values, settings, metrics, catalogue), else the next patch one.
  --dry-run             prints the entry and writes nothing
  --version <version>   in place of the computed version
`;

const changelogFile = join(repoRoot, "CHANGELOG.md");
const shown = (version: string): string => `
Review the changes, then:

  git add --all && git commit -m "release: ${version}" && git tag v${version} && git push --follow-tags
  npm run image -- --docker --prefix <registry>/uag --tag ${version}      # then push the images
  helm dependency build infra/helm/fleet && helm package infra/helm/fleet
  helm push fleet-${version}.tgz oci://<registry>/uag/charts
`;

async function requireCleanTree(): Promise<void> {
  const { stdout } = await promisify(execFile)("git", ["status", "--porcelain"], { cwd: repoRoot });
  if (stdout !== "")
    throw new UserError(`Commit or stash these changes first, because a release is made of commits:\n${stdout}`);
}

async function writeRelease(last: string, version: string, entry: string): Promise<void> {
  await writeVersion(last, version);
  await writeFile(changelogFile, withEntry(await readFile(changelogFile, "utf8"), entry));
  await generated(true);
  await writeFile(join(helmDir, "released", `${version}.yaml`), await releasedValues(version));
  const problems = await releaseProto();
  if (problems.length > 0) throw new UserError(problems.join("\n"));
}

async function main(): Promise<void> {
  const flag = { type: "boolean", default: false } as const;
  const options = { "dry-run": flag, version: { type: "string" }, help: { ...flag, short: "h" } } as const;
  const { values } = parseArgs({ options });
  if (values.help) return print(help);
  const { version: last } = JSON.parse(await readFile(join(repoRoot, "package.json"), "utf8")) as { version: string };
  const { ref } = await lastRelease();
  const changes = await changesSince(ref);
  const version = values.version ?? nextVersion(last, changes);
  const entry = changelogEntry(version, new Date().toISOString().slice(0, 10), changes);
  if (values["dry-run"]) return print(entry);
  await requireCleanTree();
  await writeRelease(last, version, entry);
  print(shown(version));
}

await main().catch(fail);
