import { join } from "node:path";
import { repoRoot } from "@uag/local/paths";
import { charts, fleetChart, type KubeObject, objectsIn, renderText } from "./charts.ts";
import { matrix } from "./matrix.ts";

export interface Rendering {
  /** Chart and line of the matrix, fit for a file's name or a namespace's. */
  readonly name: string;
  readonly text: string;
  readonly objects: readonly KubeObject[];
}

const catalogFile = join(repoRoot, "infra/config/catalog.yaml");

/** Every chart in `built`, rendered with every line of the matrix. */
export async function renderAll(built: string): Promise<Rendering[]> {
  const rendered: Rendering[] = [];
  for (const chart of charts) {
    const files = chart === fleetChart ? ["--set-file", `global.catalog.content=${catalogFile}`] : [];
    for (const { name, args } of matrix(chart)) {
      const text = await renderText(built, chart, [...files, ...args]);
      rendered.push({ name: `${chart}-${name}`, text, objects: objectsIn(text) });
    }
  }
  return rendered;
}
