import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@uag/local/paths";
import type { Fleet } from "@uag/local/service";
import { pythonVersions } from "../python.ts";
import { installPython, run } from "../tool.ts";
import { type MatrixCall, matrixPage } from "./page.ts";

const timeout = 1_800_000;
const maxBuffer = 16 * 1024 * 1024;

interface ListedModel {
  readonly id: string;
  readonly owned_by: string;
  readonly operations: readonly string[];
}

/** Runs every client with every text model, and writes the results as a page of the docs. */
export async function clientMatrix(dir: string, fleet: Fleet): Promise<void> {
  const models = await textModels(fleet);
  const ids = models.map(({ id }) => id);
  const runFile = join(fleet.dataDir, "run.json");
  const venv = join(dir, "matrix");
  const { openai, anthropic } = pythonVersions;
  await installPython(venv, [`openai==${openai}`, `anthropic==${anthropic}`]);
  const packages = join(repoRoot, "services/dev/e2e/package.json");
  const outputs = [
    await run(process.execPath, [join(import.meta.dirname, "matrix.mjs"), runFile, packages, ...ids], {
      timeout,
      maxBuffer,
    }),
    await run(join(venv, "bin/python"), [join(import.meta.dirname, "matrix.py"), runFile, ...ids], {
      timeout,
      maxBuffer,
    }),
  ];
  const lines = outputs.flatMap(({ stdout }) => stdout.trim().split("\n"));
  const calls = lines.map((line) => JSON.parse(line) as MatrixCall);
  const owners = new Map(models.map(({ id, owned_by }) => [id, owned_by]));
  await writeFile(
    join(repoRoot, "gateway/src/docs/guides/clients.md"),
    matrixPage(calls, (id) => owners.get(id) ?? id),
  );
  const failed = calls.filter(({ error }) => error !== null);
  process.stdout.write(`matrix: ${calls.length} calls, ${failed.length} failed\n`);
  for (const call of failed) process.stdout.write(`  ${JSON.stringify(call)}\n`);
  if (failed.length > 0) process.exitCode = 1;
}

async function textModels({ run: { api_key, base_url } }: Fleet): Promise<readonly ListedModel[]> {
  const response = await fetch(`${base_url}/v1/models`, { headers: { authorization: `Bearer ${api_key}` } });
  const { data } = (await response.json()) as { data: readonly ListedModel[] };
  return data.filter(({ operations }) => operations.includes("chat.completions"));
}
