import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@uag/local/paths";
import { services } from "@uag/local/processes";
import { parse, parseAllDocuments } from "yaml";
import { kubeVersion } from "./schemas.ts";
import { runToolOf } from "./tools.ts";

export const helmDir = join(repoRoot, "infra/helm");

/** The charts of services, of the toolbox, of the optional engines, and of the fleet. */
export const serviceCharts: readonly string[] = services.map(({ name }) => name);
export const toolboxChart = "toolbox";
export const engineCharts: readonly string[] = ["nats", "mongodb"];
export const fleetChart = "fleet";
export const charts: readonly string[] = [...serviceCharts, toolboxChart, ...engineCharts, fleetChart];

export type Values = Record<string, unknown>;

/** An object as sent to the API server. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own shape; kubeconform judges.
  readonly spec?: any;
  readonly data?: Readonly<Record<string, string>>;
}

export async function readValues(chart: string): Promise<Values> {
  const own = parse(await readFile(join(helmDir, chart, "values.yaml"), "utf8")) as Values;
  if (chart === fleetChart || engineCharts.includes(chart)) return own;
  const common = parse(await readFile(join(helmDir, "common/values.yaml"), "utf8")) as { defaults: Values };
  return merged(common.defaults, own);
}

const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);

/** Merges values like Helm: maps by key, everything else as a whole. */
function merged(defaults: Values, own: Values): Values {
  const result = { ...defaults };
  for (const [name, value] of Object.entries(own)) {
    const before = defaults[name];
    result[name] = isMap(before) && isMap(value) ? merged(before, value) : value;
  }
  return result;
}

/** Copies the charts and adds each one's dependencies. */
export async function buildCharts(dir: string): Promise<void> {
  await cp(helmDir, dir, { recursive: true });
  // The fleet's chart is first: Argo CD and Flux build it alone, when the charts in it have no dependencies of theirs.
  const others = charts.filter((chart) => chart !== fleetChart);
  for (const chart of [fleetChart, ...others]) await runToolOf("helm", ["dependency", "build", join(dir, chart)]);
}

/** Renders a chart of `dir`. @throws {Error} with Helm's error if it rejects the values */
export async function render(dir: string, chart: string, args: readonly string[] = []): Promise<KubeObject[]> {
  return objectsIn(await renderText(dir, chart, args));
}

export function renderText(dir: string, chart: string, args: readonly string[] = []): Promise<string> {
  const first = ["template", "release", join(dir, chart), "--namespace", "uag", "--kube-version", kubeVersion];
  return runToolOf("helm", [...first, ...args]);
}

export function objectsIn(text: string): KubeObject[] {
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as KubeObject | null) ?? []);
}
