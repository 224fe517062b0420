import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repoRoot } from "../../services/fleet/src/paths.ts";
import { buildCharts, charts, fleetChart, objectsIn, renderText } from "./charts.ts";
import { matrix } from "./matrix.ts";
import { lonely, readPolicies } from "./policies.ts";
import { kubeVersion, schemaLocation, writeSchemas } from "./schemas.ts";
import { runToolOf } from "./tools.ts";

export interface Verdict {
  readonly problems: readonly string[];
  readonly renderings: number;
  readonly objects: number;
}

const catalogFile = join(repoRoot, "infra/config/catalog.yaml");

/** Every chart by every line of the matrix, judged by everything that can judge it. */
export async function validate(): Promise<Verdict> {
  const dir = await mkdtemp(join(tmpdir(), "charts-"));
  try {
    return await validateIn(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const failureOf = (work: Promise<unknown>): Promise<string[]> =>
  work.then(
    () => [],
    (error: unknown) => [error instanceof Error ? error.message : String(error)],
  );

async function validateIn(dir: string): Promise<Verdict> {
  const [built, schemas, rendered] = ["charts", "schemas", "rendered"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  await buildCharts(built);
  await writeSchemas(schemas);
  await mkdir(rendered);
  const judge = await readPolicies();
  const problems: string[] = [];
  const count = { renderings: 0, objects: 0 };
  for (const chart of charts) {
    problems.push(
      ...(await failureOf(runToolOf("helm", ["lint", "--strict", "--kube-version", kubeVersion, join(built, chart)]))),
    );
    for (const { name, args } of matrix(chart)) {
      const files = chart === fleetChart ? ["--set-file", `global.catalog.content=${catalogFile}`] : [];
      const text = await renderText(built, chart, [...files, ...args]);
      await writeFile(join(rendered, `${chart}-${name}.yaml`), text);
      const objects = objectsIn(text);
      problems.push(
        ...[...objects.flatMap(judge), ...lonely(objects)].map((problem) => `${chart}, ${name}: ${problem}`),
      );
      count.renderings += 1;
      count.objects += objects.length;
    }
  }
  const strictly = ["-strict", "-kubernetes-version", kubeVersion, "-schema-location", schemaLocation(schemas)];
  problems.push(...(await failureOf(runToolOf("kubeconform", [...strictly, rendered]))));
  return { problems, ...count };
}
