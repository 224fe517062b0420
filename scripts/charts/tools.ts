import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "@uag/local/engines/run-tool";
import { binDir } from "@uag/local/paths";
import { withLock } from "@uag/local/terminal/lock";
import { step, UserError } from "@uag/local/terminal/step";
import { exists, findGo } from "./go.ts";

const programs = {
  helm: "helm.sh/helm/v3/cmd/helm@v3.22.0",
  kubeconform: "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
  "helm-docs": "github.com/norwoodj/helm-docs/cmd/helm-docs@v1.14.2",
} as const;

export type Tool = keyof typeof programs;

/** Runs Go and returns its output. @throws {UserError} with the output if it fails */
export async function runGo(
  args: readonly string[],
  { env = {}, ...options }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const { code, output } = await runTool(await findGo(), args, { ...options, env: { ...process.env, ...env } });
  if (code !== 0) throw new UserError(`go ${args.join(" ")} failed. Output:\n${output.trim()}`);
  return output;
}

/**
 * The path of a program that `build` creates once, in its own folder under `.data/bin`, which takes
 * minutes.
 */
export async function builtOnce(
  source: string,
  name: string,
  build: (dir: string) => Promise<unknown>,
): Promise<string> {
  const dir = join(binDir, source.replaceAll(/[/@]/g, "-"));
  const file = join(dir, name);
  await mkdir(dir, { recursive: true });
  await withLock(`${dir}.lock`, async () => {
    if (!(await exists(file))) await step(`Building ${source}`, () => build(dir));
  });
  return file;
}

/** A program of a Go module, `go install`ed at its pinned version. */
const installedOnce = (source: string, name: string): Promise<string> =>
  builtOnce(source, name, (dir) => runGo(["install", "-trimpath", "-ldflags=-s -w", source], { env: { GOBIN: dir } }));

const findTool = (name: Tool): Promise<string> => installedOnce(programs[name], name);

/** Builds all tools. */
export async function buildTools(): Promise<void> {
  for (const name of Object.keys(programs) as Tool[]) await findTool(name);
}

/** The folder of a Go module's sources, which Go downloads once and verifies. */
export async function moduleDir(module: string): Promise<string> {
  const output = await runGo(["mod", "download", "-json", module]);
  const { Dir } = JSON.parse(output.slice(output.indexOf("{"))) as { Dir?: string };
  if (Dir === undefined) throw new UserError(`Go did not download ${module}`);
  return Dir;
}

/** Runs a tool and returns its output. @throws {Error} with the output if it fails */
export async function runToolOf(name: Tool, args: readonly string[], cwd?: string): Promise<string> {
  const { code, output } = await runTool(await findTool(name), args, cwd === undefined ? {} : { cwd });
  if (code !== 0) throw new Error(`${name} ${args.slice(0, 3).join(" ")} failed:\n${output.trim()}`);
  return output;
}
