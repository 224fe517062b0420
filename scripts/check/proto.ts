import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repoRoot as root } from "@uag/local/paths";
import type { Check } from "./check.ts";
import { problemsOf } from "./run-tool.ts";

const protoDir = join(root, "proto");
/** The interfaces of the last release, which running replicas may still implement. */
const released = "released.binpb";

/** Records this commit as the last release, with its current interfaces. */
export async function releaseProto(): Promise<string[]> {
  const problems = await problemsOf("buf", ["build", "--exclude-source-info", "-o", released], { cwd: protoDir });
  if (problems.length > 0) return problems;
  const { stdout: commit } = await promisify(execFile)("git", ["rev-parse", "HEAD"], { cwd: root });
  await writeFile(join(root, "infra/released.txt"), commit);
  return [];
}

async function filesUnder(dir: string): Promise<Map<string, string>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [file.slice(dir.length + 1), await readFile(file, "utf8")] as const),
  );
  return new Map(texts);
}

async function drift(): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), "proto-"));
  try {
    const failed = await problemsOf("buf", ["generate", "-o", dir], { cwd: protoDir });
    if (failed.length > 0) return failed;
    const [fresh, committed] = await Promise.all([filesUnder(join(dir, "gen")), filesUnder(join(protoDir, "gen"))]);
    const names = [...new Set([...fresh.keys(), ...committed.keys()])];
    return names
      .filter((name) => fresh.get(name) !== committed.get(name))
      .map((name) => `proto/gen/${name} differs from buf's output; run: npm run proto`);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export const proto: Check = {
  name: "proto",
  async run({ fix }) {
    const lint = await problemsOf("buf", ["lint"], { cwd: protoDir });
    if (lint.length > 0) return lint;
    const breaking = await problemsOf("buf", ["breaking", "--against", released], { cwd: protoDir });
    if (breaking.length > 0) return breaking;
    return fix ? problemsOf("buf", ["generate"], { cwd: protoDir }) : drift();
  },
};
