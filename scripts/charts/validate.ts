import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusedByApiServer } from "./api-server/refused.ts";
import { buildCharts, charts } from "./charts.ts";
import { readPolicies, unguardedWorkloads } from "./policies.ts";
import { type Rendering, renderAll } from "./renderings.ts";
import { kubeVersion, schemaLocation, writeSchemas } from "./schemas.ts";
import { runToolOf } from "./tools.ts";

export interface Verdict {
  readonly problems: readonly string[];
  readonly renderings: number;
  readonly objects: number;
}

export interface ValidateOptions {
  /** Whether every object is also sent to a real API server. */
  readonly apiServer?: boolean;
}

/** Runs all validations of every chart with every line of the matrix. */
export async function validate({ apiServer = false }: ValidateOptions = {}): Promise<Verdict> {
  const dir = await mkdtemp(join(tmpdir(), "charts-"));
  try {
    const built = join(dir, "charts");
    await buildCharts(built);
    const rendered = await renderAll(built);
    const problems = [
      ...(await linted(built)),
      ...(await judged(rendered)),
      ...(await conforming(dir, rendered)),
      ...(apiServer ? await refusedByApiServer(join(dir, "api-server"), rendered) : []),
    ];
    const objects = rendered.reduce((sum, rendering) => sum + rendering.objects.length, 0);
    return { problems, renderings: rendered.length, objects };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const failureOf = (work: Promise<unknown>): Promise<string[]> =>
  work.then(
    () => [],
    (error: unknown) => [error instanceof Error ? error.message : String(error)],
  );

async function linted(built: string): Promise<string[]> {
  const problems: string[] = [];
  for (const chart of charts) {
    const args = ["lint", "--strict", "--kube-version", kubeVersion, join(built, chart)];
    problems.push(...(await failureOf(runToolOf("helm", args))));
  }
  return problems;
}

async function judged(rendered: readonly Rendering[]): Promise<string[]> {
  const judge = await readPolicies();
  return rendered.flatMap(({ name, objects }) =>
    [...objects.flatMap(judge), ...unguardedWorkloads(objects)].map((problem) => `${name}: ${problem}`),
  );
}

async function conforming(dir: string, rendered: readonly Rendering[]): Promise<string[]> {
  const [schemas, texts] = [join(dir, "schemas"), join(dir, "rendered")];
  await writeSchemas(schemas);
  await mkdir(texts);
  for (const { name, text } of rendered) await writeFile(join(texts, `${name}.yaml`), text);
  const strictly = ["-strict", "-kubernetes-version", kubeVersion, "-schema-location", schemaLocation(schemas)];
  return await failureOf(runToolOf("kubeconform", [...strictly, texts]));
}
